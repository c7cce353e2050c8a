"""Files of an index: how arrays and tables are stored, checked, listed in the manifest, and replaced as one folder.

An array is a file of numbers (`npy`), a table one of columns (`parquet`); both are read as columns through a cache.
"""
