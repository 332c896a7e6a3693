"""Attackers who read whole released texts, and know their language to different degrees.

``attackers_by_name`` makes them: of ``knowledge``, what they know of a language, in parts that
``interpolation`` weighs, and of ``readers``, who say what released words tell. ``success`` says how
often they are right. ``text_attack`` puts these together for texts, ``from_files`` for files, and
``guess_words`` shows what one of them makes of a text.
"""
