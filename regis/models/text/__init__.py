"""A clue's text: its words as hashed features, its form, the entries that it names, and other publishers' ways.

`clue_typography` and `clue_style` write a clue as most clues are written, `clue_form` and `clue_references` say what
it promises, `clue_features` and `wordpiece` make numbers of it.
"""
