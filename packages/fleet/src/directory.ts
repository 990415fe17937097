import { userInfo } from 'node:os'
import { dirname, join, resolve } from 'node:path'

/** The files of a fleet, in one directory. */
export interface FleetDirectory {
  readonly root: string
  /** Administrators' credentials for the hub and every cluster, a context each. */
  readonly kubeconfig: string
  /** The parts of the fleet. */
  readonly plan: string
  /** The state of the running parts. */
  readonly run: string
  /** The bootstrap kubeconfig of clusters. */
  readonly bootstrap: string
  /** Which images run as programs of this machine. */
  readonly programs: string
  /** The disks and kernels of this machine that stand for images of virtual machines. */
  readonly machineImages: string
  /** The data and certificates of the Maestro server. */
  readonly maestro: string
  /** The certificates of the OVIM service, and the ports of its agents. */
  readonly ovim: string
  /** The data directory of a part. */
  data(part: string): string
  /** The log of a part. */
  log(part: string): string
  /** The directory of another fleet, beside the directory of this one. */
  beside(...names: readonly string[]): string
  /** A command about this fleet to type in a shell, quoted. */
  command(name: string): string
}

/** The hub's name as a part, and its context in the kubeconfig. */
export const HUB = 'hub'

const PLAIN_WORD = /^[\w@%+=:,./-]+$/

/** A word as it is typed in a shell, quoted if needed. */
export function shellWord(text: string): string {
  return PLAIN_WORD.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

type Environment = Readonly<Record<string, string | undefined>>

/** Empty if there is none: then the working directory is used, as in a shell. */
function homeIn({ HOME }: Environment): string {
  if (HOME) return HOME
  try {
    return userInfo().homedir
  } catch {
    // A user without an entry in the system, as in many containers.
    return ''
  }
}

/** The fleet in a directory: the argument, else `ORRERY_DATA`, else `~/.orrery/fleet`. */
export function fleetDirectory(named?: string, environment: Environment = process.env): FleetDirectory {
  const usual = resolve(environment.ORRERY_DATA || join(homeIn(environment), '.orrery', 'fleet'))
  const root = named ? resolve(named) : usual
  const data = root === usual ? '' : ` --data ${shellWord(root)}`
  return {
    root,
    kubeconfig: join(root, 'kubeconfig'),
    plan: join(root, 'fleet.json'),
    run: join(root, 'run.json'),
    bootstrap: join(root, 'bootstrap-kubeconfig'),
    programs: join(root, 'programs.json'),
    machineImages: join(root, 'machine-images.json'),
    maestro: join(root, 'maestro'),
    ovim: join(root, 'ovim'),
    data: (part) => (part === HUB ? join(root, HUB) : join(root, 'clusters', part)),
    log: (part) => join(root, 'logs', `${part}.log`),
    beside: (...names) => join(dirname(root), ...names),
    command: (name) => `\`orrery ${name}${data}\``,
  }
}
