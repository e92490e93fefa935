import { useEffect, useState } from 'react'

/** The time in milliseconds, renewed every `interval`: for "4 min ago". */
export function useNow(interval = 30_000): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), interval)
    return () => clearInterval(timer)
  }, [interval])
  return now
}
