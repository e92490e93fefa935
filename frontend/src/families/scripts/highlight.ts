/** Python in quiet colours: enough for the language of scripts, and wrong without harm where it is more. */

export type TokenKind = 'comment' | 'string' | 'number' | 'keyword' | 'block' | 'plain'

export interface Token {
  readonly kind: TokenKind
  readonly text: string
}

const KEYWORDS = new Set(
  'and as break continue def elif else False for from if import in is lambda None not or pass return True while'.split(
    ' ',
  ),
)
const BLOCKS = new Set(
  'agent conditional debate deliver ensemble graph loop question reflection router sequence workflow'.split(
    ' ',
  ),
)

// A string without its end, as while it is written, goes to the end of its line or of the text.
const PARTS = [
  String.raw`(?<comment>#[^\n]*)`,
  String.raw`(?<string>[rRbBfFuU]{0,2}(?:"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?))`,
  String.raw`(?<number>\b\d[\d_]*(?:\.\d+)?)`,
  String.raw`(?<word>[A-Za-z_]\w*)`,
]

/** The lines of a script, each as its tokens. */
export function highlighted(script: string): readonly (readonly Token[])[] {
  const lines: Token[][] = [[]]
  const add = (kind: TokenKind, text: string): void => {
    text.split('\n').forEach((part, index) => {
      if (index > 0) lines.push([])
      if (part !== '') lines.at(-1)?.push({ kind, text: part })
    })
  }
  let end = 0
  for (const match of script.matchAll(new RegExp(PARTS.join('|'), 'g'))) {
    const [text] = match
    add('plain', script.slice(end, match.index))
    add(kindOf(match.groups ?? {}, script[match.index - 1]), text)
    end = match.index + text.length
  }
  add('plain', script.slice(end))
  return lines
}

function kindOf(
  found: Readonly<Record<string, string | undefined>>,
  before: string | undefined,
): TokenKind {
  for (const kind of ['comment', 'string', 'number'] as const) if (found[kind]) return kind
  const word = found.word ?? ''
  if (before === '.') return 'plain'
  if (KEYWORDS.has(word)) return 'keyword'
  return BLOCKS.has(word) ? 'block' : 'plain'
}
