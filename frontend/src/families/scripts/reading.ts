/** The script in a reply while it is written. What counts in the end is what the event tells. */

export interface SoFar {
  /** "": none has begun. */
  readonly script: string
  /** What the model writes before a script begins, without what it only thinks. */
  readonly prose: string
}

const THOUGHTS = /<think>[\s\S]*?(?:<\/think>|$)/g
const FENCE = /(?:^|\n)```[^\n]*\n/
const END = /\n```(?:\s|$)/
/** A reply may be the script alone. */
const BARE = /^\s*(?:#[^\n]*\n\s*)*(?:from|import)\s/

export function scriptSoFar(reply: string): SoFar {
  const said = reply.replaceAll(THOUGHTS, '').trimStart()
  const fence = FENCE.exec(said)
  if (fence) {
    const rest = said.slice(fence.index + fence[0].length)
    return { script: `\n${rest}`.split(END)[0]?.slice(1) ?? '', prose: said.slice(0, fence.index) }
  }
  return BARE.test(said) ? { script: said, prose: '' } : { script: '', prose: said }
}
