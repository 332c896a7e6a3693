package org.brrkit.keyboard

import android.text.InputType
import android.view.inputmethod.EditorInfo

/**
 * The text field that a keyboard writes to, and the field's restrictions. Equal fields count as the same one, so
 * a field keeps its state when the screen rotates.
 *
 * ```
 * if (Field.of(info).releases) strip.show(releases) else strip.showPrivate()
 * ```
 *
 * @property app package of the field's app.
 * @property view id of the field in the app.
 * @property inputType bits of [InputType].
 * @property imeOptions bits of [EditorInfo].
 * @property actionId the app's own action for the enter key, or 0.
 */
public data class Field(
    public val app: String?,
    public val view: Int,
    public val inputType: Int,
    public val imeOptions: Int,
    public val actionId: Int,
) {
    /**
     * Whether finished words of this field are privatized and released. Only plain text is released. Excluded are
     * fields for passwords, numbers, dates, addresses and names, incognito fields, fields that ask for no
     * suggestions, and fields with unknown content, such as a terminal's.
     */
    public val releases: Boolean
        get() = inputType and InputType.TYPE_MASK_CLASS == InputType.TYPE_CLASS_TEXT &&
            inputType and InputType.TYPE_MASK_VARIATION in PLAIN_TEXT &&
            inputType and InputType.TYPE_TEXT_FLAG_NO_SUGGESTIONS == 0 &&
            imeOptions and EditorInfo.IME_FLAG_NO_PERSONALIZED_LEARNING == 0

    /** Whether it is a field for a password. Its text must not be shown or spoken. */
    public val isPassword: Boolean
        get() = when (inputType and InputType.TYPE_MASK_CLASS) {
            InputType.TYPE_CLASS_TEXT ->
                inputType and InputType.TYPE_MASK_VARIATION in PASSWORDS
            InputType.TYPE_CLASS_NUMBER ->
                inputType and InputType.TYPE_MASK_VARIATION ==
                    InputType.TYPE_NUMBER_VARIATION_PASSWORD
            else -> false
        }

    /** Whether the field wants key events, not text (a terminal). */
    public val isRaw: Boolean
        get() = inputType == InputType.TYPE_NULL

    /** The action of the enter key, from [EditorInfo]; null for a new line. */
    public val action: Int?
        get() = when {
            imeOptions and EditorInfo.IME_FLAG_NO_ENTER_ACTION != 0 -> null
            actionId != 0 -> actionId
            else -> (imeOptions and EditorInfo.IME_MASK_ACTION).takeIf { it in ACTIONS }
        }

    public companion object {
        /** Returns the field that the system describes to an input method. */
        @JvmStatic
        public fun of(info: EditorInfo): Field = Field(
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
        private val PASSWORDS = setOf(
            InputType.TYPE_TEXT_VARIATION_PASSWORD,
            InputType.TYPE_TEXT_VARIATION_VISIBLE_PASSWORD,
            InputType.TYPE_TEXT_VARIATION_WEB_PASSWORD,
        )
        private val ACTIONS = EditorInfo.IME_ACTION_GO..EditorInfo.IME_ACTION_PREVIOUS
    }
}
