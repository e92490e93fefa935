export { ScriptSide } from './script-side'
export { ScriptView } from './script-view'
