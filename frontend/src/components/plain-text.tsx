import { boardParts } from '@/lib/board-parts'

/** A text, its boards in a monospaced font. Its parent keeps the line breaks. */
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
