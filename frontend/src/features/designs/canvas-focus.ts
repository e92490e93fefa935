/** Where the focus goes in the designer: to an agent's card, to the canvas, to the panel's fields. */

/** On what holds the fields of the design, in which Undo is that of the design. */
export const FIELDS = { 'data-design-fields': true } as const
const IN_FIELDS = '[data-design-fields]'
/** On the fields of the one agent that is chosen. */
export const AGENT_FIELDS = { ...FIELDS, 'data-agent-fields': true } as const
const CARD = '.react-flow__node'

const focus = (element: HTMLElement | null): boolean => {
  element?.focus({ preventScroll: true })
  return element !== null
}

const within = (target: EventTarget | null, selector: string): Element | null =>
  target instanceof Element ? target.closest(selector) : null

export const isInFields = (target: EventTarget | null): boolean =>
  within(target, IN_FIELDS) !== null

export const isInAgentFields = (target: EventTarget | null): boolean =>
  within(target, '[data-agent-fields]') !== null

/** Where Delete means the drawing: with the focus on a button of the panel it means nothing. */
export const isOnCanvas = (target: EventTarget | null): boolean =>
  target === document.body || within(target, '.design-canvas') !== null

export const agentOf = (target: EventTarget | null): string | null => {
  const card = target instanceof HTMLElement && target.matches(CARD) ? target : null
  return card?.dataset.id ?? null
}

export const focusCanvas = (): void => {
  const canvas = document.querySelector<HTMLElement>('.design-canvas')
  canvas?.setAttribute('tabindex', '-1')
  focus(canvas)
}

/** The canvas, where there is no such agent. */
export const focusAgent = (id: string | null): void => {
  const card = id === null ? null : `${CARD}[data-id="${CSS.escape(id)}"]`
  if (!card || !focus(document.querySelector<HTMLElement>(card))) focusCanvas()
}

/** After the panel has been drawn for what is chosen since just now. */
const focusLater = (selector: string): void => {
  setTimeout(() => focus(document.querySelector<HTMLElement>(selector)))
}

export const focusFields = (): void => focusLater('[data-agent-fields] :is(input, textarea)')

export const QUESTION_CLASS = 'design-question'
export const focusQuestion = (): void => focusLater(`.${QUESTION_CLASS} textarea`)
