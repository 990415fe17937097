import { existsSync, readFileSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'

const ROOT = new URL('../../../', import.meta.url).pathname
const GUEST = join(ROOT, '.cache/peers/guest')
const SKIPPED = join(ROOT, '.cache/peers/skipped/qemu-guest')
const DIRECTORY = 0o40755
const EXECUTABLE = 0o100755

export const KERNEL = join(GUEST, 'vmlinuz')

/** Why no guest can run on this machine, or false. */
export const whyNoGuest: string | false = existsSync(KERNEL)
  ? false
  : existsSync(SKIPPED)
    ? readFileSync(SKIPPED, 'utf8')
    : 'the guest is not prepared: run node tools/peers/guest.mjs'

/**
 * Prints the data of cloud-init and what a disk begins with, answers lines of the console, and shuts down when the power
 * button is pressed. With the word `agent` on the kernel's command line it runs the guest agent.
 */
const INIT = `#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
for module in /modules/*; do insmod $module; done
acpid -l /dev/null
for disk in /dev/vd?; do
  mount -t iso9660 -o ro $disk /mnt 2>/dev/null || continue
  (cd /mnt && find . -type f | sort | while read file; do echo "$file: $(cat $file)"; done)
  umount /mnt
done
if grep -q agent /proc/cmdline; then
  mkdir -p /var/run /dev/virtio-ports
  port=$(basename $(dirname $(grep -l org.qemu.guest_agent.0 /sys/class/virtio-ports/*/name)))
  /agent/qemu-ga -p /dev/$port -m virtio-serial -t /var/run -d
fi
echo "guest is up with $(nproc) CPUs"
while read word rest; do
  case $word in
    say) echo "heard $rest" ;;
    first) echo "first: $(head -c 16 /dev/$rest)" ;;
    write) set -- $rest; echo -n $2 | dd of=/dev/$1 conv=notrunc 2>/dev/null; sync; echo written ;;
    poweroff) poweroff -f ;;
    panic) echo c > /proc/sysrq-trigger ;;
  esac
done < /dev/ttyS0
`

/** Writes the initramfs of the guest: BusyBox, modules, the guest agent and a program as the first process. */
export async function writeInitramfs(file: string): Promise<void> {
  const entries: Entry[] = []
  for (const name of ['bin', 'dev', 'proc', 'sys', 'mnt', 'etc', 'etc/acpi', 'etc/acpi/PWRF', 'modules']) {
    entries.push({ name, mode: DIRECTORY })
  }
  entries.push({ name: 'bin/busybox', mode: EXECUTABLE, data: await readFile(join(GUEST, 'busybox')) })
  for (const name of await readdir(join(GUEST, 'modules'))) {
    entries.push({ name: `modules/${name}`, mode: EXECUTABLE, data: await readFile(join(GUEST, 'modules', name)) })
  }
  const powerButton = Buffer.from('#!/bin/sh\necho shutting down > /dev/ttyS0\npoweroff -f\n')
  entries.push({ name: 'etc/acpi/PWRF/00000080', mode: EXECUTABLE, data: powerButton })
  entries.push({ name: 'etc/os-release', mode: EXECUTABLE, data: Buffer.from('ID=orrery\nNAME="Test guest"\n') })
  for (const item of await readdir(join(GUEST, 'agent'), { recursive: true, withFileTypes: true })) {
    const path = join(item.parentPath, item.name)
    const name = relative(join(GUEST, 'agent'), path)
    if (item.isDirectory()) entries.push({ name, mode: DIRECTORY })
    else if (item.name !== 'qemu-ga') entries.push({ name, mode: EXECUTABLE, data: await readFile(path) })
  }
  entries.push({ name: 'agent', mode: DIRECTORY })
  entries.push({ name: 'agent/qemu-ga', mode: EXECUTABLE, data: await readFile(join(GUEST, 'agent/qemu-ga')) })
  entries.push({ name: 'init', mode: EXECUTABLE, data: Buffer.from(INIT) })
  await writeFile(file, gzipSync(archive(entries), { level: 1 }))
}

interface Entry {
  readonly name: string
  readonly mode: number
  readonly data?: Buffer
}

/** Returns a cpio archive in the format that the kernel reads. */
function archive(entries: readonly Entry[]): Buffer {
  const ordered = entries.toSorted((a, b) => depth(a) - depth(b))
  const pieces = [...ordered, { name: 'TRAILER!!!', mode: 0 }].flatMap(({ name, mode, data }: Entry, index) => {
    const size = data?.length ?? 0
    const fields = [index + 1, mode, 0, 0, 1, 0, size, 0, 0, 0, 0, name.length + 1, 0]
    const numbers = fields.map((value) => value.toString(16).padStart(8, '0')).join('')
    return [padded(Buffer.from(`070701${numbers}${name}\0`)), padded(data ?? Buffer.alloc(0))]
  })
  return Buffer.concat(pieces)
}

function depth({ name }: Entry): number {
  return name.split('/').length
}

function padded(data: Buffer): Buffer {
  return Buffer.concat([data, Buffer.alloc(-data.length & 3)])
}
