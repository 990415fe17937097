import type { Edit } from '@orrery/hub'

/** Edits as RFC 6902 has them, where `add` also replaces. */
export function jsonPatchOf(edits: readonly Edit[]): { op: 'add'; path: string; value: Edit['value'] }[] {
  return edits.map(({ path, value }) => ({ op: 'add', path: pointerOf(path), value }))
}

function pointerOf(path: Edit['path']): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
