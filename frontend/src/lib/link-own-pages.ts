/** What this needs of a node of mdast, the syntax tree of Markdown. */
interface Node {
  type: string
  value?: string
  url?: string
  children?: Node[]
}

const ADDRESS = /(?<![\w/.])\/corpus\/[^\s<>"'`|]*[^\s<>"'`|.,;:!?)\]}*_]/g

/** A remark plugin: bare paths of the studio's own pages become links, as bare addresses do by GFM. */
export const linkOwnPages = () => (tree: Node) => walk(tree)

function walk(node: Node): void {
  if (node.type === 'link' || !node.children) return
  for (const child of node.children) walk(child)
  node.children = node.children.flatMap((child) =>
    child.type === 'text' ? parts(child.value ?? '') : child,
  )
}

function parts(text: string): Node[] {
  const found: Node[] = []
  let end = 0
  for (const { 0: url, index } of text.matchAll(ADDRESS)) {
    found.push({ type: 'text', value: text.slice(end, index) })
    found.push({ type: 'link', url, children: [{ type: 'text', value: url }] })
    end = index + url.length
  }
  return [...found, { type: 'text', value: text.slice(end) }]
}
