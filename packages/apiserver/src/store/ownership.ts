import { claimDirectory } from '@orrery/kube/process'

/** Another process, or this one, has the store open. */
export class StoreInUse extends Error {
  readonly pid: number
  constructor(directory: string, pid: number, file: string) {
    super(
      `the store in ${directory} is in use by process ${pid}; stop it first ` +
        `(should that process have nothing to do with it, delete ${file})`,
    )
    this.name = 'StoreInUse'
    this.pid = pid
  }
}

/** Claims a data directory for this process; returns the way to give it up. Throws `StoreInUse`. */
export function claimStore(directory: string): Promise<() => void> {
  return claimDirectory(directory, {
    prefix: 'store.owner-',
    inUse: (pid, file) => new StoreInUse(directory, pid, file),
  })
}
