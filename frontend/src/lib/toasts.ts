import { create } from 'zustand'

import type { Problem } from '@/lib/api/errors'

export interface Toast {
  readonly id: number
  readonly tone: 'neutral' | 'bad'
  readonly message: string
  readonly remedy: string
  readonly link?: ToastLink | undefined
}

export interface ToastLink {
  readonly to: string
  readonly label: string
}

interface Toasts {
  toasts: readonly Toast[]
  add: (toast: Omit<Toast, 'id'>) => void
  remove: (id: number) => void
}

let nextId = 1

export const useToasts = create<Toasts>()((set) => ({
  toasts: [],
  add: (toast) =>
    set(({ toasts }) => ({ toasts: [...toasts.slice(-2), { ...toast, id: nextId++ }] })),
  remove: (id) => set(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.id !== id) })),
}))

export const notify = (message: string, link?: ToastLink): void =>
  useToasts.getState().add({ tone: 'neutral', message, remedy: '', link })

export const notifyProblem = (
  { message, remedy }: Pick<Problem, 'message' | 'remedy'>,
  link?: ToastLink,
): void => useToasts.getState().add({ tone: 'bad', message, remedy, link })
