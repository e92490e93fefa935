/** Pictures as files: SVG as it is, PNG drawn from it at twice its size. */
import { familyOf } from '@/lib/families'
import { saveFile } from '@/lib/save-file'

import type { DesignSpec } from './edits'
import { text } from '@/strings/designs'
import { pictureOf, type Picture } from './picture'

const SCALE = 2
/** The longest side that browsers draw without failing. */
const MOST_PIXELS = 8_192

export type PictureFormat = 'svg' | 'png'

export async function downloadPicture(
  design: DesignSpec,
  name: string,
  format: PictureFormat,
): Promise<void> {
  const picture = pictureOf(design, lightColor(), text.canvas)
  const blob =
    format === 'svg' ? new Blob([picture.svg], { type: 'image/svg+xml' }) : await png(picture)
  saveFile(blob, `${fileName(name)}.${format}`)
}

async function png({ svg, width, height }: Picture): Promise<Blob> {
  const scale = Math.min(SCALE, MOST_PIXELS / Math.max(width, height))
  const image = new Image(width, height)
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = Math.ceil(width * scale)
  canvas.height = Math.ceil(height * scale)
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob) resolve(blob)
      else reject(new Error(text.tools.noPicture))
    }, 'image/png')
  })
}

/** A family's colour as on a light page, as `rgb(…)`: a file knows no custom properties. */
function lightColor(): (family: string) => string {
  const probe = document.createElement('span')
  probe.style.colorScheme = 'light'
  const pixel = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const known = new Map<string, string>()
  return (family) => {
    const wanted = familyOf(family).color
    const found = known.get(wanted)
    if (found !== undefined || !pixel) return found ?? '#666666'
    probe.style.color = wanted
    document.body.append(probe)
    pixel.fillStyle = getComputedStyle(probe).color
    probe.remove()
    pixel.fillRect(0, 0, 1, 1)
    const [red = 0, green = 0, blue = 0] = pixel.getImageData(0, 0, 1, 1).data
    const color = `rgb(${red}, ${green}, ${blue})`
    known.set(wanted, color)
    return color
  }
}

const fileName = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60) || 'design'
