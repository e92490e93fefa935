"""Queries of our own for the corpora that come with the studio, and the titles that answer them."""

TITLES = (
    ("Paris", {"Paris"}),
    ("Mount Everest", {"Mount Everest"}),
    ("photosynthesis", {"Photosynthesis"}),
    ("Marie Curie", {"Marie Curie"}),
    ("2001: A Space Odyssey", {"2001: A Space Odyssey"}),
    ("Mongolia", {"Mongolia"}),
    ("The Magic Flute", {"The Magic Flute"}),
    ("general relativity", {"General relativity"}),
)
PARAPHRASES = (
    ("opera by Mozart with a bird catcher and the Queen of the Night", {"The Magic Flute"}),
    ("physicist who developed the theory of relativity", {"Albert Einstein"}),
    ("highest mountain above sea level", {"Mount Everest"}),
    ("how plants turn sunlight into chemical energy", {"Photosynthesis"}),
    ("largest planet in the solar system", {"Jupiter"}),
    ("the wall that divided a German city until 1989", {"Berlin Wall"}),
    ("fever that mosquitoes carry, from parasites in the blood", {"Malaria"}),
    ("first woman to win a Nobel Prize", {"Marie Curie"}),
    ("English author of Pride and Prejudice", {"Jane Austen", "Pride and Prejudice"}),
    ("long river of north-eastern Africa that flows into the Mediterranean", {"Nile"}),
    ("painter who cut off part of his ear", {"Vincent van Gogh"}),
    ("science of heredity and genes", {"Genetics", "Heredity"}),
    ("device that measures atmospheric pressure", {"Barometer"}),
    ("emperor of the French defeated at Waterloo", {"Napoleon", "Battle of Waterloo"}),
    ("gas that makes up most of the air of Earth", {"Nitrogen", "Atmosphere of Earth"}),
    ("branch of mathematics about shapes that can be stretched", {"Topology"}),
)
FACTS = (
    ("land area of Chile", {"Chile"}),
    ("coastline length of Norway in km", {"Norway"}),
    ("which country has the capital Ulaanbaatar", {"Mongolia", "Ulaanbaatar"}),
    ("GDP per capita of Botswana", {"Botswana"}),
    ("border countries of Bolivia", {"Bolivia"}),
    ("Iceland electricity from geothermal", {"Iceland"}),
)
SLIPS = (
    ("Einstien", {"Albert Einstein"}),
    ("photosinthesis", {"Photosynthesis"}),
    ("Beethovn symphony", {"Ludwig van Beethoven"}),
    ("Shakespear plays", {"William Shakespeare"}),
    ("Mongolai capital", {"Mongolia", "Ulaanbaatar"}),
    ("Leonardo da Vinchi", {"Leonardo da Vinci"}),
)
KINDS = {"titles": TITLES, "paraphrases": PARAPHRASES, "facts": FACTS, "slips": SLIPS}
