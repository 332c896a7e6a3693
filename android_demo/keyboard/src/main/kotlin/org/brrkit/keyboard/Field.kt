package org.brrkit.keyboard

import android.text.InputType
import android.view.inputmethod.EditorInfo

/**
 * The text field that the keyboard writes to. Equal fields are taken for the same one, so a field
 * keeps its state when the screen turns.
 *
 * @property app package of the field's app.
 * @property view id of the field in the app.
 * @property inputType bits of [InputType].
 * @property imeOptions bits of [EditorInfo].
 * @property actionId the app's own action for the enter key, or 0.
 */
internal data class Field(
    val app: String?,
    val view: Int,
    val inputType: Int,
    val imeOptions: Int,
    val actionId: Int,
) {
    /**
     * Whether finished words of this field are privatized and released. Only plain text is: not
     * passwords, incognito fields, numbers, dates, addresses, names, fields that ask for no
     * suggestions, nor fields of unknown content (a terminal's).
     */
    val releases: Boolean
        get() = inputType and InputType.TYPE_MASK_CLASS == InputType.TYPE_CLASS_TEXT &&
            inputType and InputType.TYPE_MASK_VARIATION in PLAIN_TEXT &&
            inputType and InputType.TYPE_TEXT_FLAG_NO_SUGGESTIONS == 0 &&
            imeOptions and EditorInfo.IME_FLAG_NO_PERSONALIZED_LEARNING == 0

    /** Whether the field wants key events, not text (a terminal). */
    val isRaw: Boolean
        get() = inputType == InputType.TYPE_NULL

    /** The page to begin with. */
    val page: Page
        get() = when (inputType and InputType.TYPE_MASK_CLASS) {
            InputType.TYPE_CLASS_NUMBER,
            InputType.TYPE_CLASS_PHONE,
            InputType.TYPE_CLASS_DATETIME,
            -> Page.SYMBOLS
            else -> Page.LETTERS
        }

    /** What the enter key does: an action of [EditorInfo], or null for a new line. */
    val action: Int?
        get() = when {
            imeOptions and EditorInfo.IME_FLAG_NO_ENTER_ACTION != 0 -> null
            actionId != 0 -> actionId
            else -> (imeOptions and EditorInfo.IME_MASK_ACTION).takeIf { it in ACTIONS }
        }

    companion object {
        fun of(info: EditorInfo): Field = Field(
            info.packageName,
            info.fieldId,
            info.inputType,
            info.imeOptions,
            if (info.actionLabel == null) 0 else info.actionId,
        )

        private val PLAIN_TEXT = setOf(
            InputType.TYPE_TEXT_VARIATION_NORMAL,
            InputType.TYPE_TEXT_VARIATION_EMAIL_SUBJECT,
            InputType.TYPE_TEXT_VARIATION_SHORT_MESSAGE,
            InputType.TYPE_TEXT_VARIATION_LONG_MESSAGE,
            InputType.TYPE_TEXT_VARIATION_WEB_EDIT_TEXT,
        )
        private val ACTIONS = EditorInfo.IME_ACTION_GO..EditorInfo.IME_ACTION_PREVIOUS
    }
}
