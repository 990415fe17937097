import { isAbsolute } from 'node:path'
import { isObject } from '@orrery/kinds/values'

/** The files of this machine that stand for a container image with a disk or a kernel. */
export interface MachineImage {
  /** The disk of a container disk: a qcow2 or raw image. It is never written to. */
  readonly disk?: string
  /** Files of this machine by their path in the image, for kernels: `{ "/boot/vmlinuz": "/srv/vmlinuz" }`. */
  readonly files?: Readonly<Record<string, string>>
}

/** Machine images by container image or image pattern. */
export type MachineImages = Readonly<Record<string, MachineImage>>

/** Parses machine images from a document. Throws an error with the place and the problem. */
export function parseMachineImages(text: string, origin: string): MachineImages {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch (error) {
    throw new TypeError(`${origin} is not JSON: ${(error as Error).message}`)
  }
  if (!isObject(document)) throw new TypeError(`${origin} must be an object with images as keys`)
  const images = Object.entries(document).map(([image, value]) => [image, imageFrom(value, `${origin}: ${image}`)])
  return Object.fromEntries(images)
}

function imageFrom(value: unknown, at: string): MachineImage {
  if (!isObject(value)) throw new TypeError(`${at} must be an object with disk or files`)
  const { disk, files, ...rest } = value
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) throw new TypeError(`${at}: unknown field ${unknown}`)
  if (disk === undefined && files === undefined) throw new TypeError(`${at} must have disk or files`)
  if (disk !== undefined && !isPath(disk)) throw new TypeError(`${at}: disk must be an absolute path`)
  if (files !== undefined && !(isObject(files) && Object.values(files).every(isPath))) {
    throw new TypeError(`${at}: files must be an object of absolute paths`)
  }
  return { ...(isPath(disk) && { disk }), ...(files !== undefined && { files: files as Record<string, string> }) }
}

function isPath(value: unknown): value is string {
  return typeof value === 'string' && isAbsolute(value) && !value.includes('\0')
}
