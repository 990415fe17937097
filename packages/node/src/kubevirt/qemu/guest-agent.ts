import type { Socket } from 'node:net'
import { internalError, isObject } from '@orrery/kinds/values'
import type { Clock } from '@orrery/kube/clock'
import type { GuestInfo } from '../machine/machine.js'
import { QmpConnection } from './qmp.js'

/** How often the guest is asked about itself. */
const PERIOD = 10_000
/** A guest may stop at any moment, or have an agent that does not answer. */
const ANSWER = 5_000
const MAX_TEXT = 256
const MAX_ENTRIES = 256

type Fields = Readonly<Record<string, unknown>>

/** The guest agent (qemu-ga), a program in the guest: its answers are not trusted. */
export class GuestAgent {
  readonly #clock: Clock
  readonly #changed: () => void
  #connection: QmpConnection | undefined
  #info: GuestInfo | undefined
  #isOpen = false
  #cancel: (() => void) | undefined

  constructor(clock: Clock, changed: () => void) {
    this.#clock = clock
    this.#changed = changed
  }

  /** What the guest reports; undefined while no agent is connected. */
  get info(): GuestInfo | undefined {
    return this.#info
  }

  /** Takes the connection of QEMU. There may be no agent behind it yet. */
  readonly connect = (line: Socket): void => {
    this.#connection = new QmpConnection(line)
  }

  /** Sets whether an agent has opened its port in the guest. */
  setOpen(isOpen: boolean): void {
    this.#isOpen = isOpen
    this.#cancel?.()
    if (isOpen) void this.#refresh()
    else this.#show(undefined)
  }

  async freeze(): Promise<void> {
    await this.#ask('guest-fsfreeze-freeze')
  }

  async unfreeze(): Promise<void> {
    await this.#ask('guest-fsfreeze-thaw')
  }

  reboot(): void {
    // The command has no answer if it succeeds.
    this.#connection?.execute('guest-shutdown', { mode: 'reboot' }).catch(() => undefined)
  }

  close(): void {
    this.#isOpen = false
    this.#cancel?.()
  }

  async #refresh(): Promise<void> {
    try {
      const about = fieldsOf(await this.#ask('guest-info'))
      const optional = (command: string) => this.#ask(command).catch(() => undefined)
      const [os, host, zone, users, systems] = [
        fieldsOf(await optional('guest-get-osinfo')),
        fieldsOf(await optional('guest-get-host-name')),
        fieldsOf(await optional('guest-get-timezone')),
        listOf(await optional('guest-get-users')),
        listOf(await optional('guest-get-fsinfo')),
      ]
      if (this.#isOpen) this.#show(infoOf(about, os, host, zone, users, systems))
    } catch {
      if (this.#isOpen) this.#show(undefined)
    }
    if (this.#isOpen) this.#cancel = this.#clock.after(PERIOD, () => void this.#refresh())
  }

  async #ask(command: string): Promise<unknown> {
    const connection = this.#connection
    if (connection === undefined || !this.#isOpen) throw internalError('VMI does not have guest agent connected')
    return new Promise((resolve, reject) => {
      const cancel = this.#clock.after(ANSWER, () => reject(internalError('the guest agent does not answer')))
      connection.execute(command).finally(cancel).then(resolve, reject)
    })
  }

  #show(info: GuestInfo | undefined): void {
    if (JSON.stringify(info) === JSON.stringify(this.#info)) return
    this.#info = info
    this.#changed()
  }
}

function infoOf(
  about: Fields,
  os: Fields,
  host: Fields,
  zone: Fields,
  users: readonly Fields[],
  systems: readonly Fields[],
): GuestInfo {
  return {
    hostname: textIn(host, 'host-name'),
    agentVersion: textIn(about, 'version'),
    timezone: `${textIn(zone, 'zone')}, ${numberIn(zone, 'offset')}`,
    os: {
      id: textIn(os, 'id'),
      name: textIn(os, 'name'),
      prettyName: textIn(os, 'pretty-name'),
      version: textIn(os, 'version'),
      versionId: textIn(os, 'version-id'),
      kernelRelease: textIn(os, 'kernel-release'),
      kernelVersion: textIn(os, 'kernel-version'),
      machine: textIn(os, 'machine'),
    },
    users: users.map((user) => ({
      userName: textIn(user, 'user'),
      domain: textIn(user, 'domain'),
      loginTime: numberIn(user, 'login-time'),
    })),
    filesystems: systems.map((system) => ({
      diskName: textIn(system, 'name'),
      mountPoint: textIn(system, 'mountpoint'),
      fileSystemType: textIn(system, 'type'),
      usedBytes: numberIn(system, 'used-bytes'),
      totalBytes: numberIn(system, 'total-bytes'),
    })),
  }
}

function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {}
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.slice(0, MAX_ENTRIES).filter(isObject) : []
}

function textIn(fields: Fields, name: string): string {
  const value = fields[name]
  return typeof value === 'string' ? value.slice(0, MAX_TEXT) : ''
}

function numberIn(fields: Fields, name: string): number {
  const value = fields[name]
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}
