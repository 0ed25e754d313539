"""Counts the words of a text."""


def words(text):
    return text.lower().split()


def count(text):
    counts = {}
    for word in words(text):
        counts[word] = counts.get(word, 0) + 1
    return counts


def report(counts):
    for word, number in counts.items():
        print(word, number)
