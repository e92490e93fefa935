"""The language of scripts that describe a team (MetaAgent-X, arXiv 2605.14212).

A script is Python that imports nothing but the blocks of `workflow`. It is found in a reply
(`reading`), checked (`checking`) and understood without being run (`meaning`).
"""
