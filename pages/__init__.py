"""Writers of pages of ``docs/`` that are made from code, task files and certificates; not installed with the package.

Each is run from the repository's root, as in ``python -m pages.rules``; tests compare the pages with what it makes.
"""
