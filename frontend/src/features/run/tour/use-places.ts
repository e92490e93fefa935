import { useEffect, useSyncExternalStore } from 'react'

import { beside, visiblePart, type Box, type Size, type Spot } from './beside'
import { cardOf, regionOf, type TourStep } from './steps'

interface Places {
  /** What is not veiled; null: the region is not there. */
  readonly region: Box | null
  readonly card: Spot
}

/** Where the step's region and the card are, looked up with every frame: parts of the page come
 * later, scroll, and change their size. */
export function usePlaces(step: TourStep): Places {
  const found = useSyncExternalStore(everyFrame, () => JSON.stringify(placesOf(step)))
  useEffect(() => {
    let shown = false
    return everyFrame(() => {
      const region = shown ? null : regionOf(step)
      if (region) reveal(region)
      shown ||= region !== null
    })
  }, [step])
  return JSON.parse(found) as Places
}

function everyFrame(look: () => void): () => void {
  let frame = 0
  const again = (): void => {
    look()
    frame = requestAnimationFrame(again)
  }
  frame = requestAnimationFrame(again)
  return () => cancelAnimationFrame(frame)
}

function placesOf(step: TourStep): Places {
  const view: Size = { width: globalThis.innerWidth, height: globalThis.innerHeight }
  const found = regionOf(step)?.getBoundingClientRect()
  const region = found ? visiblePart(found, view) : null
  const centre: Box = { left: view.width / 2, top: view.height / 2, width: 0, height: 0 }
  const card = cardOf()
  const size: Size = { width: card?.offsetWidth ?? 0, height: card?.offsetHeight ?? 0 }
  return { region, card: beside(region ?? centre, size, view) }
}

/** Small ones in the middle, with room for the card on both sides; of large ones the beginning. */
function reveal(region: HTMLElement): void {
  const isLarge = region.offsetHeight > globalThis.innerHeight / 3
  region.scrollIntoView({ block: isLarge ? 'start' : 'center', behavior: 'instant' })
}
