// Starts a program as QEMU is started, prints its PID, and waits: a test kills this process.
import { Isolation } from '../../kubelet/isolation/isolation.js'
import { QemuSite } from './site.js'

const [, , directory = '', wanted = ''] = process.argv
const isolation = wanted === 'isolated' ? await Isolation.probe([]) : undefined
const site = await QemuSite.make({ isolation, directory, hostname: 'machine', shared: [], devices: [] })
const child = await site.start(['/bin/sh', '-c', 'while :; do sleep 1; done'], () => undefined)
process.stdout.write(`${child.pid}\n`)
setInterval(() => undefined, 60_000)
