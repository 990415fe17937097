// Prepares what the guest of a virtual machine is made of, for the peer tests: `node tools/peers/guest.mjs`. The kernel,
// its modules, BusyBox and the guest agent come from Debian's packages, unpacked into .cache/peers/guest; existing ones
// stay. Without QEMU the tests are skipped.
import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fail, prepareWith, run } from './run.mjs'

const GUEST = new URL('../../.cache/peers/guest/', import.meta.url).pathname
/** In the order in which they are loaded. */
const MODULES = [
  ...['virtio_ring', 'virtio', 'virtio_pci_legacy_dev', 'virtio_pci_modern_dev', 'virtio_pci'],
  ...['virtio_blk', 'virtio_console', 'cdrom', 'isofs', 'evdev', 'button'],
]

prepareWith('qemu-guest', ['qemu-system-x86_64', 'qemu-img', 'apt-get', 'apt-cache', 'dpkg'], () => {
  if (existsSync(join(GUEST, 'vmlinuz'))) return console.log('The guest of virtual machines is there')
  const directory = mkdtempSync(join(tmpdir(), 'orrery-guest-'))
  try {
    unpack(directory)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})

function unpack(directory) {
  run('apt-get', ['download', kernelPackage(), 'busybox-static', 'qemu-guest-agent'], { cwd: directory })
  const root = join(directory, 'root')
  for (const name of readdirSync(directory)) if (name.endsWith('.deb')) run('dpkg', ['-x', join(directory, name), root])
  rmSync(GUEST, { recursive: true, force: true })
  mkdirSync(join(GUEST, 'modules'), { recursive: true })
  mkdirSync(join(GUEST, 'agent'))
  const files = readdirSync(root, { recursive: true }).map(String)
  for (const [index, name] of MODULES.entries()) {
    const file = files.find((path) => basename(path) === `${name}.ko`)
    if (file === undefined) fail(`the kernel package has no module ${name}`)
    copyFileSync(join(root, file), join(GUEST, 'modules', `${String(index).padStart(2, '0')}-${name}.ko`))
  }
  copyFileSync(
    join(root, existsSync(join(root, 'bin/busybox')) ? 'bin/busybox' : 'usr/bin/busybox'),
    join(GUEST, 'busybox'),
  )
  copyAgent(join(root, 'usr/sbin/qemu-ga'))
  const kernel = readdirSync(join(root, 'boot')).find((name) => name.startsWith('vmlinuz-'))
  if (kernel === undefined) fail('the kernel package has no kernel')
  copyFileSync(join(root, 'boot', kernel), join(GUEST, 'vmlinuz'))
}

/** The package without a version depends on the newest one. */
function kernelPackage() {
  const text = execFileSync('apt-cache', ['depends', 'linux-image-cloud-amd64'], { encoding: 'utf8' })
  return /Depends: (linux-image-\S+)/.exec(text)?.[1] ?? fail('Debian has no package linux-image-cloud-amd64')
}

/** The agent with its libraries, which QEMU uses too. */
function copyAgent(file) {
  const target = join(GUEST, 'agent')
  const libraries = execFileSync('ldd', [file], { encoding: 'utf8' }).matchAll(/(\/lib\S+)/g)
  cpSync(file, join(target, 'qemu-ga'))
  for (const [, library] of libraries) cpSync(library, join(target, library), { dereference: true, recursive: true })
}
