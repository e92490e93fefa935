import { useEffect, useRef, useState } from 'react'

import { SearchBox } from './search-box'

const TYPING_MS = 250

interface Props {
  label: string
  value: string
  /** Without spaces around it. */
  onChange: (text: string) => void
  maxLength?: number
  className?: string
}

/** Asks when the typing rests or somebody leaves, so that a word is one request. */
export function DelayedSearch({
  label,
  value,
  onChange,
  maxLength,
  className = '',
}: Readonly<Props>) {
  const [typed, setTyped] = useState(value)
  const [outside, setOutside] = useState(value)
  const wanted = typed.trim()
  if (outside !== value) {
    setOutside(value)
    // A space at the end is the beginning of the next word: it stays.
    if (value !== wanted) setTyped(value)
  }
  const ask = useRef<(() => void) | null>(null)
  const asked = useRef(value)
  useEffect(() => {
    asked.current = value
  }, [value])
  useEffect(() => {
    ask.current = () => {
      // Once for each text, whatever whoever asks makes of it.
      if (wanted === asked.current) return
      asked.current = wanted
      onChange(wanted)
    }
  })
  useEffect(() => {
    const timer = setTimeout(() => ask.current?.(), TYPING_MS)
    return () => clearTimeout(timer)
  }, [wanted])
  return (
    <SearchBox
      label={label}
      value={typed}
      maxLength={maxLength}
      onChange={setTyped}
      onBlur={() => ask.current?.()}
      onSubmit={() => ask.current?.()}
      className={className}
    />
  )
}
