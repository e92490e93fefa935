import type { LucideIcon } from 'lucide-react'
import {
  Atom,
  Calculator,
  Circle,
  CodeXml,
  Combine,
  HeartPulse,
  Landmark,
  Languages,
  Lightbulb,
  ListTree,
  MessageSquareWarning,
  PenLine,
  Puzzle,
  Scale,
  ShieldCheck,
  Table2,
  BookOpen,
} from 'lucide-react'

import { familyOf, type FamilyKey } from '@/lib/families'

export const FAMILY_ICONS: Readonly<Record<FamilyKey, LucideIcon>> = {
  mathematics: Calculator,
  code: CodeXml,
  science: Atom,
  commonsense: Lightbulb,
  knowledge: BookOpen,
  planning: ListTree,
  verification: ShieldCheck,
  critique: MessageSquareWarning,
  writing: PenLine,
  data: Table2,
  law: Scale,
  medicine: HeartPulse,
  finance: Landmark,
  languages: Languages,
  synthesis: Combine,
  games: Puzzle,
  other: Circle,
}

/** The icon of a role family in its colour; the label is beside it or, with `iconOnly`, in its title. */
export function FamilyMark({
  family: slug,
  iconOnly = false,
  size = 14,
}: Readonly<{ family: string; iconOnly?: boolean; size?: number }>) {
  const family = familyOf(slug)
  const Icon = FAMILY_ICONS[family.key]
  return (
    <span
      className="inline-flex items-center gap-1.5"
      style={{ color: family.color }}
      {...(iconOnly ? { role: 'img', 'aria-label': family.label, title: family.label } : {})}
    >
      <Icon size={size} aria-hidden className="shrink-0" />
      {iconOnly ? null : <span className="text-xs font-medium">{family.label}</span>}
    </span>
  )
}
