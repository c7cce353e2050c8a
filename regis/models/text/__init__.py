"""A clue's text: its words as hashed features, its form, the entries that it names, and other publishers' ways.

`clue_style` writes a clue as most clues are written, `clue_form` says what it promises and which entries it names,
`clue_features` and `wordpiece` make numbers of it.
"""
