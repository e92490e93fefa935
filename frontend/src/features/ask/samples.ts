export interface Sample {
  readonly label: string
  readonly query: string
}

/** One question per kind of work, short enough for a small model. */
export const samples: readonly Sample[] = [
  {
    label: 'Word problem',
    query:
      'A baker sells 14 loaves at 3 dollars and 5 cakes at 12 dollars. How much money does she take in all?',
  },
  {
    label: 'Logic',
    query:
      'Ann is older than Ben. Cid is younger than Ben. Dora is older than Ann. Who is the youngest?',
  },
  {
    label: 'Science',
    query:
      'A stone falls from rest for 3 seconds. How far does it fall, with g = 9.8 m/s² and no air resistance?',
  },
  {
    label: 'Code',
    query:
      'Write a Python function that returns the n-th Fibonacci number without recursion, and explain why it is correct.',
  },
]
