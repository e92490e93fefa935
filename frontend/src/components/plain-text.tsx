import { boardParts } from '@/lib/board-parts'

/** A text as it is, with boards in a font in which their cells stand below each other. Its parent keeps the line
 * breaks. */
export const PlainText = ({ text }: Readonly<{ text: string }>) =>
  boardParts(text).map(({ text: part, isBoard }, index) =>
    isBoard ? (
      <span key={index} className="font-mono tracking-normal">
        {part}
      </span>
    ) : (
      part
    ),
  )
