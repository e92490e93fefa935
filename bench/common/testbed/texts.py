"""The texts of the testbed's queries: questions and subjects of each domain, in three splits.

No question and no subject is in two splits. Training has hundreds of texts, like a dataset. With
few texts a policy learns the sentences by heart and takes a new one for another domain's.

The test's texts were written on 2026-11-23, after every setting had been chosen. Nothing was chosen
since. The earlier test had been looked at, so it is part of the validation now.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Texts:
    """Every question goes with every subject, which replaces its {}."""

    questions: tuple[str, ...]
    subjects: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DomainTexts:
    training: Texts
    validation: Texts
    test: Texts


ARITHMETIC = DomainTexts(
    training=Texts(
        questions=(
            "How much does {} cost in all after the discount?",
            "How many units of {} are left after a week?",
            "What is the total price of {} with tax?",
            "At what rate per hour is {} used up?",
            "How much money is saved on {} every month?",
            "If the price of {} rises by 12 percent, what is the new price?",
            "What is the average spent on {} per day over five days?",
            "How is a bill of 84 dollars for {} split between six friends?",
            "Anna sells half of her {} at 4 dollars each; how much does she earn?",
            "What fraction of the budget is left once {} is paid for?",
            "How long do the supplies of {} last if 14 are needed every day?",
            "Tom pays for {} with a 50 dollar note; how much change does he get?",
        ),
        subjects=(
            "apples",
            "train tickets",
            "paint",
            "concrete",
            "coffee",
            "milk",
            "school books",
            "petrol",
            "cinema seats",
            "flour",
            "electricity",
            "parking",
        ),
    ),
    validation=Texts(
        questions=(
            "How many trucks are needed to carry 96 loads of {}?",
            "Which is cheaper, two packs of {} for 7 dollars or three for 10?",
            "How much more is spent on {} in June than in May?",
            "How many boxes of {} fit on three shelves?",
            "What does one kilogram of {} cost if twelve cost 90 dollars?",
            "By how much does the bill for {} shrink with a coupon of 15 percent?",
        ),
        subjects=(
            "bricks",
            "wages",
            "cheese",
            "stamps",
            "pears",
            "bus fares",
            "wallpaper",
            "olive oil",
        ),
    ),
    test=Texts(
        questions=(
            "What is left of 200 dollars after buying {} three times?",
            "How many people share {} when each gets a quarter?",
            "By what percentage did {} become dearer between 2019 and 2022?",
            "How much does a family spend on {} in a year at 18 dollars a week?",
        ),
        subjects=(
            "carrots",
            "swimming lessons",
            "firewood",
            "printer ink",
            "a taxi ride",
            "oranges",
        ),
    ),
)

PROGRAMMING = DomainTexts(
    training=Texts(
        questions=(
            "Write a Python function that sorts {} by length.",
            "Write code that removes duplicates from {}.",
            "Implement a function that reverses {}.",
            "Fix the bug in the loop over {}.",
            "Which data structure makes a lookup in {} fast?",
            "Return the largest element of {} without the built-in max.",
            "Why does this code raise an IndexError on {}?",
            "Count how often every word occurs in {}.",
            "Define a class that stores {} and prints itself.",
            "What is the time complexity of searching {}?",
            "Check with recursion whether {} is empty.",
            "Merge two variables that each hold {} into one.",
        ),
        subjects=(
            "a list of strings",
            "a nested dictionary",
            "a linked list",
            "a binary tree",
            "a queue",
            "an array of floats",
            "a JSON document",
            "a string with spaces",
            "a directed graph",
            "a hash table",
            "a text column",
            "a priority heap",
        ),
    ),
    validation=Texts(
        questions=(
            "How do I iterate over {} and skip the first item?",
            "Save {} to disk and load it again.",
            "Replace this global variable by an argument that takes {}.",
            "Write a unit test for a method that inserts into {}.",
            "How is {} converted to a string without losing its order?",
            "Write a generator that yields every second item of {}.",
        ),
        subjects=(
            "a CSV file",
            "tuples",
            "a byte buffer",
            "a cache",
            "a matrix",
            "a set of integers",
            "a stack",
            "a log file",
        ),
    ),
    test=Texts(
        questions=(
            "Write a function that compares two versions of {}.",
            "Why does appending to {} inside a for loop never end?",
            "Rewrite this method so that it no longer copies {}.",
            "Parse {} from standard input and print it in reverse.",
        ),
        subjects=(
            "an XML file",
            "a sparse vector",
            "a list of tuples",
            "a ring buffer",
            "a trie",
            "a SQL table",
        ),
    ),
)

MEDICINE = DomainTexts(
    training=Texts(
        questions=(
            "Which diagnosis explains {} in an adult patient?",
            "Which drug is first given against {}?",
            "Which test confirms {}?",
            "What causes {} in children?",
            "Which side effect of treatment looks like {}?",
            "How is {} treated during pregnancy?",
            "Which organ is affected first by {}?",
            "Is {} contagious, and for how long?",
            "Which vitamin is lacking in somebody with {}?",
            "What should a nurse watch for in {}?",
            "When does {} call for surgery?",
            "How common is {} in people over sixty?",
        ),
        subjects=(
            "fever with a rash",
            "chest pain",
            "anaemia",
            "asthma",
            "diabetes",
            "a stiff neck",
            "pneumonia",
            "dizziness",
            "a swollen knee",
            "kidney stones",
            "insomnia",
            "a burn on the hand",
        ),
    ),
    validation=Texts(
        questions=(
            "Which specialist is asked about {}?",
            "What helps at home with {}?",
            "Which illness in the family makes {} more likely?",
            "Which patients with {} need to be admitted to hospital?",
            "What is the first sign that {} is getting worse?",
            "Which dose is usual for an adult with {}?",
        ),
        subjects=(
            "a migraine",
            "jaundice",
            "a cough",
            "an ulcer",
            "a sore throat",
            "high blood pressure",
            "gout",
            "an allergic reaction",
        ),
    ),
    test=Texts(
        questions=(
            "Which examination comes first when a patient complains of {}?",
            "How long does it take to recover from {}?",
            "Which medicine must not be given to somebody with {}?",
            "Can {} be prevented by a vaccine or by diet?",
        ),
        subjects=(
            "a broken wrist",
            "measles",
            "heart failure",
            "an ear infection",
            "epilepsy",
            "nausea",
        ),
    ),
)

LAW = DomainTexts(
    training=Texts(
        questions=(
            "Is a contract about {} valid without a signature?",
            "Which court hears a dispute over {}?",
            "Who is liable when {} cause damage?",
            "When does a claim over {} expire?",
            "May a tenant refuse {} under the lease?",
            "Can a witness be forced to testify about {}?",
            "What does the buyer of {} have to prove before a judge?",
            "Does an insurance policy have to cover {}?",
            "Which clause protects the seller of {}?",
            "Is it an offence to lie about {}?",
            "What does a settlement over {} have to state?",
            "Who inherits {} if there is no will?",
        ),
        subjects=(
            "a used car",
            "rented tools",
            "unpaid invoices",
            "a shared garden",
            "a stolen bicycle",
            "late deliveries",
            "a family house",
            "a loan between friends",
            "a defective roof",
            "company shares",
            "an oral promise",
            "confidential letters",
        ),
    ),
    validation=Texts(
        questions=(
            "Which law applies to {} sold abroad?",
            "How can a lawyer object to {} as evidence?",
            "What compensation is owed for {}?",
            "Must an employer accept {} as a reason for a dismissal?",
            "Which deadline applies to an appeal over {}?",
            "Who pays the costs of a trial about {}?",
        ),
        subjects=(
            "a neighbour's dog",
            "repairs",
            "a copied photograph",
            "a cancelled flight",
            "a forged signature",
            "a noisy factory",
            "a broken lease",
            "a patent",
        ),
    ),
    test=Texts(
        questions=(
            "Can the parties to a contract exclude liability for {}?",
            "Which evidence does the plaintiff need in a case about {}?",
            "Is the owner allowed to sell {} during the proceedings?",
            "What penalty does the statute set for {}?",
        ),
        subjects=(
            "a mortgaged flat",
            "tax evasion",
            "a disputed fence",
            "a leaked trade secret",
            "breach of a licence",
            "an unsafe staircase",
        ),
    ),
)
