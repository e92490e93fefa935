export function AskPage() {
  return null
}
