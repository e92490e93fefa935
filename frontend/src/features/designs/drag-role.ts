/** A role on its way from the pool to the canvas. */
import type { DraftRole } from './edits'

export const ROLE_TYPE = 'application/x-mas-studio-role'

export const dragRole = (transfer: DataTransfer, role: DraftRole): void => {
  transfer.setData(ROLE_TYPE, JSON.stringify(role))
  transfer.effectAllowed = 'copy'
}

/** Null for whatever else somebody drops here. The server checks it like any other text. */
export function roleOfDrag(transfer: DataTransfer): DraftRole | null {
  const data = transfer.getData(ROLE_TYPE)
  try {
    return data ? (JSON.parse(data) as DraftRole) : null
  } catch {
    return null
  }
}
