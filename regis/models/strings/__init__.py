"""Strings of letters: how likely each is as an answer on no list.

`string_model` mixes the letter model and the phrase model. The phrase model's pieces stand in `pieces`, all ways to set
them side by side in `semi_markov`.
"""
