import { ArrowLeft, ArrowRight } from 'lucide-react'
import { useEffect, useId, useRef, useState, useSyncExternalStore, type KeyboardEvent } from 'react'
import { Dialog, Modal, ModalOverlay } from 'react-aria-components'
import { useSearchParams } from 'react-router'

import { Button } from '@/components/button'
import { useSetParams } from '@/lib/use-param'
import { text } from '@/strings/tour'

import { beside, visiblePart, type Box, type Size, type Spot } from './beside'
import { useTourSeen } from './seen'
import { cardOf, regionOf, stepsHere, tabOf, type TourStep } from './steps'

/** The regions of a run's page one after the other, the rest under a veil. The page is left as it was
 * found, whichever view the tour went through. */
export function Tour({ onClose }: Readonly<{ onClose: () => void }>) {
  const [steps] = useState(stepsHere)
  const [index, setIndex] = useState(0)
  const [params] = useSearchParams()
  const [found] = useState(() => ({ tab: params.get('tab'), agent: params.get('agent') }))
  const setParams = useSetParams()
  const { remember } = useTourSeen()
  const step = steps[index] ?? 'question'
  useEffect(() => setParams({ tab: tabOf(step), agent: null }), [setParams, step])
  useEffect(() => keepFocus, [])

  const end = (): void => {
    setParams(found)
    remember()
    onClose()
  }
  const turn = (by: number): void => {
    if (index + by >= steps.length) end()
    else setIndex(Math.max(0, index + by))
  }
  return (
    <ModalOverlay
      isOpen
      onOpenChange={(open) => {
        if (!open) end()
      }}
      className="fixed inset-0 z-40"
    >
      <Page step={step} index={index} count={steps.length} onTurn={turn} onEnd={end} />
    </ModalOverlay>
  )
}

/** One that opened by itself has no button to give the focus back to; a dialog does so a frame after it
 * is gone. */
function keepFocus(): void {
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      if (document.activeElement === document.body) document.getElementById('main')?.focus()
    }),
  )
}

interface PageProps {
  step: TourStep
  index: number
  count: number
  onTurn: (by: number) => void
  onEnd: () => void
}

function Page({ step, index, count, onTurn, onEnd }: Readonly<PageProps>) {
  const next = useRef<HTMLButtonElement>(null)
  const words = useId()
  const places = usePlaces(step)
  const isFirst = index === 0
  // “Back” goes with the first step; who pressed it stays in the tour.
  useEffect(() => {
    if (isFirst) next.current?.focus()
  }, [isFirst])
  const onKey = ({ key }: KeyboardEvent): void => {
    if (key === 'ArrowRight') onTurn(1)
    if (key === 'ArrowLeft') onTurn(-1)
  }
  return (
    <>
      <div
        aria-hidden
        data-veil
        className="pointer-events-none fixed rounded-md shadow-[0_0_0_200vmax_oklch(0.15_0.01_262/0.55)] outline-2 outline-accent transition-[left,top,width,height] duration-150"
        style={places.region ?? { left: '50%', top: '50%', width: 0, height: 0 }}
      />
      <Modal
        data-tour-card
        className="fixed w-[min(22rem,calc(100vw-1.5rem))] rounded-lg border border-line bg-surface-1 shadow-float"
        style={places.card}
      >
        <Dialog aria-label={text.title} aria-describedby={words} className="outline-none">
          <div onKeyDownCapture={onKey} className="flex flex-col gap-3 p-4">
            <div id={words} aria-live="polite" className="flex flex-col gap-1">
              <p className="text-xs text-ink-3">{text.place(index + 1, count)}</p>
              <h2 className="text-base font-semibold">{text.steps[step].title}</h2>
              <p className="text-ink-2">{text.steps[step].text}</p>
            </div>
            <p className="sr-only">{text.keys}</p>
            <div className="flex items-center gap-1.5">
              <Button variant="quiet" size="sm" className="-ml-2" onPress={onEnd}>
                {text.skip}
              </Button>
              <span className="flex-1" />
              {isFirst ? null : (
                <Button size="sm" onPress={() => onTurn(-1)} icon={ArrowLeft}>
                  {text.back}
                </Button>
              )}
              <Button
                ref={next}
                autoFocus
                variant="primary"
                size="sm"
                onPress={() => onTurn(1)}
                icon={index + 1 < count ? ArrowRight : undefined}
              >
                {index + 1 < count ? text.next : text.done}
              </Button>
            </div>
          </div>
        </Dialog>
      </Modal>
    </>
  )
}

interface Places {
  /** What is not veiled; null: the region is not there. */
  readonly region: Box | null
  readonly card: Spot
}

/** Where the step's region and the card are, looked up with every frame: parts of the page come
 * later, scroll, and change their size. */
function usePlaces(step: TourStep): Places {
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
