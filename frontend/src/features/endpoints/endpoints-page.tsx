export function EndpointsPage() {
  return null
}
