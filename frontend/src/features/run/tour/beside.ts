/** Where the card of a tour stands: beside what it speaks of, inside the window. In pixels. */
export interface Size {
  readonly width: number
  readonly height: number
}

export interface Spot {
  readonly left: number
  readonly top: number
}

export type Box = Spot & Size

const GAP = 12

/** Under the region, over it, right or left of it: the first place where all of the card fits. Where
 * none is free, as beside a region that fills the window, the card covers the region's foot. */
export function beside(region: Box, card: Size, view: Size): Spot {
  const along = region.left + (region.width - card.width) / 2
  const upright = region.top + (region.height - card.height) / 2
  const places: readonly Spot[] = [
    { left: along, top: region.top + region.height + GAP },
    { left: along, top: region.top - card.height - GAP },
    { left: region.left + region.width + GAP, top: upright },
    { left: region.left - card.width - GAP, top: upright },
  ]
  const inside = places.map((place) => within(place, card, view))
  return (
    inside.find((place) => isClear(place, card, region)) ??
    within({ left: along, top: view.height }, card, view)
  )
}

/** The part of a region that can be seen. */
export function visiblePart(region: Box, view: Size): Box {
  const left = Math.max(0, region.left)
  const top = Math.max(0, region.top)
  return {
    left,
    top,
    width: Math.max(0, Math.min(view.width, region.left + region.width) - left),
    height: Math.max(0, Math.min(view.height, region.top + region.height) - top),
  }
}

function within({ left, top }: Spot, card: Size, view: Size): Spot {
  const most = (room: number, size: number): number => Math.max(GAP, room - size - GAP)
  return {
    left: Math.min(Math.max(GAP, left), most(view.width, card.width)),
    top: Math.min(Math.max(GAP, top), most(view.height, card.height)),
  }
}

function isClear(place: Spot, card: Size, region: Box): boolean {
  return (
    place.left >= region.left + region.width ||
    place.left + card.width <= region.left ||
    place.top >= region.top + region.height ||
    place.top + card.height <= region.top
  )
}
