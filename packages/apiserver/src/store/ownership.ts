import { claimDirectory } from '@orrery/kube/process'

/** Another process, or this one, has the store open. */
export class StoreInUse extends Error {
  readonly pid: number
  constructor(directory: string, pid: number, file: string) {
    super(
      `the store in ${directory} is in use by process ${pid}: stop it first ` +
        `(if that process does not use the store, delete ${file})`,
    )
    this.name = 'StoreInUse'
    this.pid = pid
  }
}

/** Locks a data directory for this process. Returns a function that unlocks it. Throws `StoreInUse`. */
export function claimStore(directory: string): Promise<() => void> {
  return claimDirectory(directory, {
    prefix: 'store.owner-',
    inUse: (pid, file) => new StoreInUse(directory, pid, file),
  })
}
