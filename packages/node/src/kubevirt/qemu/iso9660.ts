const SECTOR = 2048
const FIRST_DESCRIPTOR = 16
/** A record of a directory has this many bytes besides the name. */
const RECORD = 33
const DIRECTORY_FLAG = 2
const MAX_NAME = 64

interface Node {
  readonly name: string
  readonly parent: Node | undefined
  readonly children: Node[]
  /** Undefined for a directory. */
  readonly data: Buffer | undefined
}

/** How one of the two directory trees writes names: ISO 9660 itself, and Joliet with 16-bit characters. */
interface Naming {
  readonly type: 1 | 2
  readonly escapes: Buffer
  encode(text: string): Buffer
  readonly blank: Buffer
}

const PLAIN: Naming = {
  type: 1,
  escapes: Buffer.alloc(0),
  encode: (text) => Buffer.from(text.replace(/[^\x20-\x7e]/g, '_'), 'latin1'),
  blank: Buffer.from(' '),
}
const JOLIET: Naming = {
  type: 2,
  escapes: Buffer.from('%/E'),
  encode: (text) => Buffer.from(text, 'utf16le').swap16(),
  blank: Buffer.from([0, 0x20]),
}

/**
 * Returns a CD-ROM image with files: the names are paths without a leading slash. It has the names as they are, and
 * again as Joliet, which operating systems prefer.
 */
export function iso9660(label: string, files: ReadonlyMap<string, Buffer>): Buffer {
  const root = treeOf(files)
  const directories = breadthFirst(root)
  const trees = [PLAIN, JOLIET].map((naming) => ({ naming, sizes: directories.map((one) => sizeOf(one, naming)) }))
  let next = FIRST_DESCRIPTOR + trees.length + 1
  const take = (bytes: number) => {
    const at = next
    next += Math.max(1, Math.ceil(bytes / SECTOR))
    return at
  }
  const placed = trees.map(({ naming, sizes }) => {
    const tableBytes = pathTable(directories, naming, () => 0, 'LE').length
    const tables = { bytes: tableBytes, little: take(tableBytes), big: take(tableBytes) }
    return { naming, sizes, tables, sectors: sizes.map(take) }
  })
  const leaves = directories.flatMap(({ children }) => children.filter(({ data }) => data !== undefined))
  const leafSectors = new Map(leaves.map((leaf) => [leaf, take(leaf.data?.length ?? 0)]))
  const image = Buffer.alloc(next * SECTOR)
  for (const [index, { naming, sizes, tables, sectors }] of placed.entries()) {
    const extentOf = (node: Node): Extent => {
      const at = directories.indexOf(node)
      if (at < 0) return { sector: leafSectors.get(node) ?? 0, bytes: node.data?.length ?? 0 }
      return { sector: sectors[at] ?? 0, bytes: sizes[at] ?? 0 }
    }
    const sectorOf = (node: Node) => extentOf(node).sector
    descriptor(naming, label, next, tables, record(ROOT_NAME, extentOf(root), true)).copy(
      image,
      (FIRST_DESCRIPTOR + index) * SECTOR,
    )
    pathTable(directories, naming, sectorOf, 'LE').copy(image, tables.little * SECTOR)
    pathTable(directories, naming, sectorOf, 'BE').copy(image, tables.big * SECTOR)
    for (const directory of directories) {
      directoryBytes(directory, naming, extentOf).copy(image, sectorOf(directory) * SECTOR)
    }
  }
  Buffer.from('\xffCD001\x01', 'latin1').copy(image, (FIRST_DESCRIPTOR + trees.length) * SECTOR)
  for (const [{ data }, sector] of leafSectors) data?.copy(image, sector * SECTOR)
  return image
}

interface Extent {
  readonly sector: number
  readonly bytes: number
}

const ROOT_NAME = Buffer.from([0])
const PARENT_NAME = Buffer.from([1])

function treeOf(files: ReadonlyMap<string, Buffer>): Node {
  const root: Node = { name: '', parent: undefined, children: [], data: undefined }
  for (const [path, data] of files) {
    const names = path.split('/')
    const wrong = names.find((name) => name === '' || name === '.' || name === '..' || name.length > MAX_NAME)
    if (wrong !== undefined) throw new RangeError(`${JSON.stringify(path)} cannot be a path on a CD-ROM`)
    const last = names.pop() ?? ''
    let directory = root
    for (const name of names) {
      let child = directory.children.find((one) => one.name === name && one.data === undefined)
      if (child === undefined) {
        child = { name, parent: directory, children: [], data: undefined }
        directory.children.push(child)
      }
      directory = child
    }
    directory.children.push({ name: last, parent: directory, children: [], data })
  }
  return root
}

function breadthFirst(root: Node): Node[] {
  const found = [root]
  // The list grows while it is read.
  for (const directory of found) {
    directory.children.sort((a, b) => (a.name < b.name ? -1 : 1))
    found.push(...directory.children.filter(({ data }) => data === undefined))
  }
  return found
}

function sizeOf(directory: Node, naming: Naming): number {
  return directoryBytes(directory, naming, () => ({ sector: 0, bytes: 0 })).length
}

/** Returns the records of a directory. None crosses the end of a sector. */
function directoryBytes(directory: Node, naming: Naming, extentOf: (node: Node) => Extent): Buffer {
  const records = [
    record(ROOT_NAME, extentOf(directory), true),
    record(PARENT_NAME, extentOf(directory.parent ?? directory), true),
    ...directory.children.map((child) => {
      const isDirectory = child.data === undefined
      return record(naming.encode(isDirectory ? child.name : `${child.name};1`), extentOf(child), isDirectory)
    }),
  ]
  const pieces: Buffer[] = []
  let length = 0
  for (const one of records) {
    const rest = SECTOR - (length % SECTOR)
    if (one.length > rest) {
      pieces.push(Buffer.alloc(rest))
      length += rest
    }
    pieces.push(one)
    length += one.length
  }
  return Buffer.concat(pieces, Math.ceil(length / SECTOR) * SECTOR)
}

function record(name: Buffer, { sector, bytes }: Extent, isDirectory: boolean): Buffer {
  const length = RECORD + name.length + (name.length % 2 === 0 ? 1 : 0)
  const one = Buffer.alloc(length)
  one.writeUInt8(length, 0)
  bothOrders32(one, 2, sector)
  bothOrders32(one, 10, bytes)
  // Times are those of 1970: the same files give the same image.
  Buffer.from([70, 1, 1, 0, 0, 0, 0]).copy(one, 18)
  one.writeUInt8(isDirectory ? DIRECTORY_FLAG : 0, 25)
  bothOrders16(one, 28, 1)
  one.writeUInt8(name.length, 32)
  name.copy(one, RECORD)
  return one
}

function pathTable(
  directories: readonly Node[],
  naming: Naming,
  sectorOf: (node: Node) => number,
  order: 'LE' | 'BE',
): Buffer {
  const entries = directories.map((directory) => {
    const name = directory.parent === undefined ? ROOT_NAME : naming.encode(directory.name)
    const entry = Buffer.alloc(8 + name.length + (name.length % 2))
    const parent = directories.indexOf(directory.parent ?? directory) + 1
    entry.writeUInt8(name.length, 0)
    entry[`writeUInt32${order}`](sectorOf(directory), 2)
    entry[`writeUInt16${order}`](parent, 6)
    name.copy(entry, 8)
    return entry
  })
  return Buffer.concat(entries)
}

function descriptor(
  naming: Naming,
  label: string,
  sectors: number,
  tables: { readonly bytes: number; readonly little: number; readonly big: number },
  root: Buffer,
): Buffer {
  const one = Buffer.alloc(SECTOR)
  const text = (value: string, at: number, length: number) => {
    one.fill(naming.blank, at, at + length - (length % naming.blank.length))
    naming.encode(value).copy(one, at, 0, length)
  }
  one.writeUInt8(naming.type, 0)
  one.write('CD001\x01', 1, 'latin1')
  text('', 8, 32)
  text(label, 40, 32)
  bothOrders32(one, 80, sectors)
  naming.escapes.copy(one, 88)
  bothOrders16(one, 120, 1)
  bothOrders16(one, 124, 1)
  bothOrders16(one, 128, SECTOR)
  bothOrders32(one, 132, tables.bytes)
  one.writeUInt32LE(tables.little, 140)
  one.writeUInt32BE(tables.big, 148)
  root.copy(one, 156)
  for (const [at, length] of TEXTS) text('', at, length)
  // Times that are not set are digits.
  for (const at of TIMES) one.fill('0', at, at + 16)
  one.writeUInt8(1, 881)
  return one
}

/** The names of publishers and files that are not set. */
const TEXTS = [
  [190, 128],
  [318, 128],
  [446, 128],
  [574, 128],
  [702, 37],
  [739, 37],
  [776, 37],
] as const
const TIMES = [813, 830, 847, 864]

function bothOrders32(buffer: Buffer, at: number, value: number): void {
  buffer.writeUInt32LE(value, at)
  buffer.writeUInt32BE(value, at + 4)
}

function bothOrders16(buffer: Buffer, at: number, value: number): void {
  buffer.writeUInt16LE(value, at)
  buffer.writeUInt16BE(value, at + 2)
}
