import { ArrowLeft, ArrowRight } from 'lucide-react'
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react'
import { Dialog, Modal, ModalOverlay } from 'react-aria-components'
import { useSearchParams } from 'react-router'

import { Button } from '@/components/button'
import { useSetParams } from '@/lib/use-param'

import { stepsHere, tabOf, type TourStep } from './steps'
import { text } from '@/strings/tour'
import { usePlaces } from './use-places'

interface Props {
  onClose: () => void
}

/** The regions of a run's page one after the other, the rest under a veil. The page is left as it was
 * found, whichever view the tour went through. */
export function Tour({ onClose }: Readonly<Props>) {
  const [steps] = useState(stepsHere)
  const [index, setIndex] = useState(0)
  const [params] = useSearchParams()
  const [found] = useState(() => ({ tab: params.get('tab'), agent: params.get('agent') }))
  const setParams = useSetParams()
  const step = steps[index] ?? 'question'
  useEffect(() => setParams({ tab: tabOf(step), agent: null }), [setParams, step])
  useEffect(() => keepFocus, [])

  const end = (): void => {
    setParams(found)
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
                <Button
                  size="sm"
                  onPress={() => onTurn(-1)}
                  icon={<ArrowLeft size={14} aria-hidden />}
                >
                  {text.back}
                </Button>
              )}
              <Button
                ref={next}
                autoFocus
                variant="primary"
                size="sm"
                onPress={() => onTurn(1)}
                icon={index + 1 < count ? <ArrowRight size={14} aria-hidden /> : null}
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
