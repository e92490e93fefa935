import { useEffect, useState } from 'react'

/** The width of an element in pixels, followed as it changes; 0 until it is measured. */
export function useWidth(): readonly [ref: (element: HTMLElement | null) => void, width: number] {
  const [element, setElement] = useState<HTMLElement | null>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    if (!element) return undefined
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.floor(entry.contentRect.width))
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [element])
  return [setElement, width]
}

export interface BoxSize {
  readonly width: number
  readonly height: number
}

/** Width and height of an element in pixels, followed as they change; null until they are measured. */
export function useBox(): readonly [
  ref: (element: HTMLElement | null) => void,
  size: BoxSize | null,
] {
  const [element, setElement] = useState<HTMLElement | null>(null)
  const [size, setSize] = useState<BoxSize | null>(null)
  useEffect(() => {
    if (!element) return undefined
    const observer = new ResizeObserver(([entry]) => {
      if (!entry) return
      const { width, height } = entry.contentRect
      setSize({ width: Math.floor(width), height: Math.floor(height) })
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [element])
  return [setElement, size]
}
