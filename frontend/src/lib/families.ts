import { strings } from '@/strings/studio'

/**
 * Role families: the label, the name of the icon and the colour tokens of each. The hue only supports
 * the icon or the label; `components/family-mark.tsx` draws them together.
 */
const labels = strings.families

export type FamilyKey = keyof typeof labels | 'other'

export type Family = Readonly<{
  key: FamilyKey
  label: string
  /** Strong: text, icon, stroke. At least 4.5:1 on every surface. */
  color: string
  /** A tint of the panel for backgrounds; `color` and ink stay readable on it. */
  soft: string
  /** A line between `soft` and `color`, for borders. */
  line: string
}>

const isKnown = (slug: string): slug is keyof typeof labels => Object.hasOwn(labels, slug)

const sentenceCase = (slug: string): string => {
  const words = slug.replaceAll(/[_-]+/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The family of a role. A family that a curator invented keeps its own name with a neutral colour. */
export function familyOf(slug: string | null | undefined): Family {
  const key: FamilyKey = slug && isKnown(slug) ? slug : 'other'
  const token = `var(--family-${key})`
  return {
    key,
    label: key === 'other' ? sentenceCase(slug ?? 'other') : labels[key],
    color: token,
    soft: `color-mix(in oklab, ${token} 10%, var(--surface-1))`,
    line: `color-mix(in oklab, ${token} 38%, var(--surface-1))`,
  }
}

export const FAMILY_KEYS: readonly FamilyKey[] = [
  ...(Object.keys(labels) as (keyof typeof labels)[]),
  'other',
]
