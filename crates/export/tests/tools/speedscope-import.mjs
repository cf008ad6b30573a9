// Runs speedscope's importer on a file, and prints what it made of it as JSON.
// usage: node speedscope-import.mjs RELEASE_FOLDER FILE
//
// The package ships one script for the browser and exports nothing. The script runs here with stand-ins for
// the browser, and the object that holds the import functions is handed out as it is defined. What needs a
// screen fails, later than that, and does not matter.
import fs from 'node:fs'
import path from 'node:path'
import vm from 'node:vm'

const [release, file] = process.argv.slice(2)
const bundle = fs.readdirSync(release).find(name => /^speedscope-.*\.js$/.test(name))
const source = fs.readFileSync(path.join(release, bundle), 'utf8')
const definition = /[\w$]+\(([\w$]+),\{importFromFileSystemDirectoryEntry:/
if (!definition.test(source)) throw new Error(`no importer found in ${bundle}: has speedscope changed?`)
const script = source.replace(definition, (whole, name) => `globalThis.importer=${name};${whole}`)

// Whatever it is asked for, it is there, and empty.
const anything = () =>
  new Proxy(function () {}, {
    get: (_, key) => (key === Symbol.toPrimitive ? () => '' : anything()),
    apply: anything,
    construct: anything,
    set: () => true,
  })
const quiet = { log() {}, warn() {}, error() {} }
const browser = {
  console: quiet, setTimeout, clearTimeout, performance, TextDecoder, TextEncoder, URL,
  document: anything(), localStorage: anything(), matchMedia: anything(),
  location: { hash: '', search: '', protocol: 'file:', href: 'file:///' },
  navigator: { platform: '', userAgent: '' },
}
browser.window = browser.self = browser
vm.createContext(browser)
try {
  vm.runInContext(script, browser)
} catch {
  // The view could not be drawn.
}
// The import functions are made ready in a later turn.
await new Promise(resolve => setImmediate(resolve))

const group = await browser.importer.importProfileGroupFromText(path.basename(file), fs.readFileSync(file, 'utf8'))
if (!group) throw new Error('speedscope does not know the format')
const profiles = group.profiles.map(profile => {
  const frames = []
  profile.forEachFrame(frame =>
    frames.push({
      name: frame.name, file: frame.file, line: frame.line,
      self: frame.getSelfWeight(), total: frame.getTotalWeight(),
    }))
  return { name: profile.getName(), unit: profile.getWeightUnit(), total: profile.getTotalWeight(), frames }
})
console.log(JSON.stringify({ name: group.name, profiles }))
