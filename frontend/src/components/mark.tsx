/** The product's mark: three agents that read each other. */
export function Mark({ size = 20 }: Readonly<{ size?: number }>) {
  return (
    <svg width={size} height={size} viewBox="0 0 20 20" aria-hidden fill="none">
      <path d="M5 5.5 15 10 5 14.5" stroke="var(--accent)" strokeWidth="1.5" />
      <circle cx="5" cy="5.5" r="2.75" fill="var(--accent)" />
      <circle cx="5" cy="14.5" r="2.75" fill="var(--accent)" />
      <circle
        cx="15"
        cy="10"
        r="3"
        fill="var(--surface-1)"
        stroke="var(--accent)"
        strokeWidth="1.5"
      />
    </svg>
  )
}
