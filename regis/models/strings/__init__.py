"""The likelihood of each string of letters as an answer that no list has."""
