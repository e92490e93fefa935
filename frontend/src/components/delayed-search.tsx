import { useEffect, useState } from 'react'

import { SearchBox } from './search-box'

const TYPING_MS = 250

interface Props {
  label: string
  value: string
  onChange: (text: string) => void
  className?: string
}

/** Asks when the typing rests, so that a word is one request. */
export function DelayedSearch({ label, value, onChange, className = '' }: Readonly<Props>) {
  const [text, setText] = useState(value)
  const [outside, setOutside] = useState(value)
  if (outside !== value) {
    setOutside(value)
    setText(value)
  }
  useEffect(() => {
    if (text === value) return undefined
    const timer = setTimeout(() => onChange(text), TYPING_MS)
    return () => clearTimeout(timer)
  }, [text, value, onChange])
  return <SearchBox label={label} value={text} onChange={setText} className={className} />
}
