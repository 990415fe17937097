import { createHash, randomBytes } from 'node:crypto'

/** The container runtime, as shown in `containerID` and in the node's `containerRuntimeVersion`. */
export const RUNTIME = 'orrery'

/** Returns a new container ID. */
export function newContainerId(): string {
  return randomBytes(32).toString('hex')
}

/** Returns the full name of an image as container runtimes report it: with registry and tag or digest. */
export function fullImageName(image: string): string {
  const [name = '', digest] = image.split('@', 2)
  const slash = name.indexOf('/')
  const host = slash < 0 ? '' : name.slice(0, slash)
  const hasRegistry = host === 'localhost' || /[.:]/.test(host)
  const path = hasRegistry ? name : `docker.io/${slash < 0 ? 'library/' : ''}${name}`
  if (digest !== undefined) return `${path}@${digest}`
  return path.lastIndexOf(':') > path.lastIndexOf('/') ? path : `${path}:latest`
}

/** Returns an image ID derived from the name, since images are never pulled. */
export function imageId(image: string): string {
  const full = fullImageName(image)
  if (full.includes('@')) return full
  const digest = createHash('sha256').update(full).digest('hex')
  return `${full.slice(0, full.lastIndexOf(':'))}@sha256:${digest}`
}
