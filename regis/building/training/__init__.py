"""What an index learns: ranking weights when it is built, encoders and the reader on request.

All training reads the index before its newest year, so that results are tested on unseen clues.
"""
