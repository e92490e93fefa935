import type { StillProps } from '@/components/run/family-views'

import { CodeView } from './code-view'
import { GridBoard } from './grid-board'
import { MathView } from './math-view'
import { OtherPicture } from './other-picture'
import { sceneOf, startOf, type Scene } from './scene'
import { WalkBoard } from './walk-board'

interface Props {
  scene: Scene
  frame: number
  turn: number
}

export function SceneView({ scene, frame, turn }: Readonly<Props>) {
  switch (scene.kind) {
    case 'walk':
      return <WalkBoard scene={scene} frame={frame} turn={turn} />
    case 'grid':
      return <GridBoard cells={scene.cells} />
    case 'math':
      return <MathView scene={scene} />
    case 'code':
      return <CodeView scene={scene} />
    case 'other':
      return <OtherPicture picture={scene.picture} />
  }
}

/** A state without the turn that led to it, in as little room as it needs. */
export const Still = ({ picture }: Readonly<StillProps>) => {
  const scene = sceneOf(startOf(picture))
  const isBoard = scene.kind === 'walk' || scene.kind === 'grid'
  return (
    <div className={isBoard ? 'max-w-48' : 'flex max-h-96 min-w-0 flex-col'}>
      <SceneView scene={scene} frame={0} turn={0} />
    </div>
  )
}
