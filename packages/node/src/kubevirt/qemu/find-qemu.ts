import { execFile } from 'node:child_process'
import { access, constants, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { TOOL_PATH } from '../../kubelet/isolation/tools.js'
import { findExecutable } from '../../kubelet/os/executable.js'
import type { Emulation } from './arguments.js'

/** QEMU as it is installed on this machine. */
export interface Qemu extends Emulation {
  /** The emulator of x86-64 machines. */
  readonly system: string
  /** The converter of disk images, if it is installed. */
  readonly image: string | undefined
  /** Device files that it needs. */
  readonly devices: readonly string[]
}

/** Why there are no real machines. */
export interface NoQemu {
  readonly why: string
}

const KVM = '/dev/kvm'
/** How long a trial guest may take until its first instructions have run. Emulation is slower, and busy machines are. */
const TRIAL = 5_000
const EMULATED_TRIAL = 60_000
/** The guest of a trial writes this to a device that ends QEMU with twice the value plus one. */
const SIGN = 0x10
const EXIT_PORT = 0x501
const DISK_BYTES = 1024 * 1024

/** Cached, since a trial takes time, and its result does not change while the process runs. */
let found: Promise<Qemu | NoQemu> | undefined

/** Finds QEMU, and tries how it runs guests. The first call takes up to a few seconds. */
export function findQemu(): Promise<Qemu | NoQemu> {
  found ??= tried(process.env.PATH ?? '')
  return found
}

async function tried(path: string): Promise<Qemu | NoQemu> {
  const places = [TOOL_PATH, path].join(delimiter)
  const system = await findExecutable('qemu-system-x86_64', places, '/')
  if (system === undefined) return { why: 'QEMU is not installed on this machine: install qemu-system-x86' }
  const image = await findExecutable('qemu-img', places, '/')
  const directory = await mkdtemp(join(tmpdir(), 'orrery-trial-'))
  try {
    const disk = join(directory, 'disk')
    await writeFile(disk, bootSector())
    // A device file that can be opened is no proof: some virtual machines offer KVM, and their guests never start.
    for (const acceleration of [...(await accelerators()), 'tcg']) {
      for (const hasSeccomp of [true, false]) {
        const result = await trial(system, disk, { acceleration, hasSeccomp })
        if (result === 'hangs') break
        if (result === 'fails') continue
        return { system, image, acceleration, hasSeccomp, devices: acceleration === 'kvm' ? [KVM] : [] }
      }
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
  return { why: `${system} is installed, but a trial guest does not run` }
}

async function accelerators(): Promise<string[]> {
  if (process.arch !== 'x64') return []
  if (process.platform === 'darwin') return ['hvf']
  const isOpen = await access(KVM, constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  )
  return isOpen ? ['kvm'] : []
}

/** Returns the boot sector of a trial: `mov al, SIGN; mov dx, EXIT_PORT; out dx, al; hlt`. */
function bootSector(): Buffer {
  const disk = Buffer.alloc(DISK_BYTES)
  Buffer.from([0xb0, SIGN, 0xba, EXIT_PORT & 0xff, EXIT_PORT >> 8, 0xee, 0xf4]).copy(disk)
  disk.writeUInt16LE(0xaa55, 510)
  return disk
}

/** Runs a trial guest. */
function trial(
  system: string,
  disk: string,
  { acceleration, hasSeccomp }: Emulation,
): Promise<'runs' | 'fails' | 'hangs'> {
  const blockNode = { driver: 'raw', 'node-name': 'disk', file: { driver: 'file', filename: disk } }
  const args = [
    ...['-no-user-config', '-nodefaults', '-display', 'none', '-m', '32M'],
    ...(hasSeccomp ? ['-sandbox', 'on,spawn=deny'] : []),
    ...['-machine', `q35,accel=${acceleration}`, '-cpu', acceleration === 'tcg' ? 'max' : 'host'],
    ...['-device', `isa-debug-exit,iobase=${EXIT_PORT},iosize=1`],
    ...['-blockdev', JSON.stringify(blockNode), '-device', 'virtio-blk-pci,drive=disk'],
  ]
  return new Promise((resolve) => {
    const timeout = acceleration === 'tcg' ? EMULATED_TRIAL : TRIAL
    execFile(system, args, { timeout, killSignal: 'SIGKILL' }, (error) => {
      if (error?.code === 2 * SIGN + 1) resolve('runs')
      else resolve(error?.killed === true ? 'hangs' : 'fails')
    })
  })
}
