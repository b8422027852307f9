// The page of `dbtrace report` in a browser. Arguments: the program that writes pages, playwright-core's
// folder, where screenshots go.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {existsSync, mkdirSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {pathToFileURL} from 'node:url';

const [writer, playwright, pictures] = process.argv.slice(2);
const {chromium} = (await import(pathToFileURL(join(playwright, 'index.mjs')))).default ??
    await import(pathToFileURL(join(playwright, 'index.mjs')));
const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);
const PATIENCE = 120_000;  // ms: machines are slow and busy

let browser, folder;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'dbtrace-report-'));
  mkdirSync(pictures, {recursive: true});
  execFileSync(writer, [folder]);
  browser = await chromium.launch({executablePath, timeout: PATIENCE, args: ['--no-sandbox', '--disable-dev-shm-usage']});
});
after(async () => {
  await browser?.close();
  rmSync(folder, {recursive: true, force: true});
});

// A page that is there, with all that went wrong in it, and all that it asked for.
async function opened(name, options = {}) {
  const context = await browser.newContext({viewport: {width: 1280, height: 900}, timezoneId: 'UTC', ...options});
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.wrong = [];
  page.asked = [];
  page.on('pageerror', error => page.wrong.push(String(error)));
  page.on('console', message => message.type() === 'error' && page.wrong.push(message.text()));
  page.on('dialog', dialog => page.wrong.push(dialog.message()));
  page.on('request', request => page.asked.push(request.url()));
  await page.goto(pathToFileURL(join(folder, `${name}.html`)).href);
  await page.waitForSelector('html[data-ready]', {state: 'attached'});
  return page;
}
async function closed(page) {
  assert.deepEqual(page.wrong, []);
  assert.equal(page.asked.length, 1, 'it asks for nothing but itself');
  await page.context().close();
}

const figure = (page, name) => page.locator('#figures div', {hasText: name}).locator('dd').innerText();
const column = (page, table, nth) => page.locator(`#${table} tbody tr td:nth-child(${nth})`).allInnerTexts();
const counted = text => Number(text.replaceAll(',', ''));

describe('the page', {timeout: 20 * PATIENCE}, () => {
  it('sums up what was recorded', async () => {
    const page = await opened('shop');
    assert.equal(await figure(page, 'Queries'), '60,000');
    assert.match(await page.locator('#title').innerText(), /^today\.dbt: 2026-09-2\d/);
    assert.match(await page.locator('#servers').innerText(), /MariaDB 10\.11\.19/);
    assert.equal(await page.locator('#kinds tbody tr').count(), 6);
    assert.match(await page.locator('#remarks').innerText(), /Nothing/);
    await closed(page);
  });

  it('sorts kinds by any column', async () => {
    const page = await opened('shop');
    for (const [title, nth] of [['Count', 3], ['Errors', 4]]) {
      const heading = page.locator('#kinds th', {hasText: title});
      await heading.getByRole('button').click();
      assert.equal(await heading.getAttribute('aria-sort'), 'descending');
      const values = (await column(page, 'kinds', nth)).map(counted);
      assert.deepEqual(values, [...values].sort((a, b) => b - a));
      await page.keyboard.press('Enter');  // the heading kept the focus
      assert.equal(await heading.getAttribute('aria-sort'), 'ascending');
      const reversed = (await column(page, 'kinds', nth)).map(counted);
      assert.deepEqual(reversed, [...reversed].sort((a, b) => a - b));
    }
    await closed(page);
  });

  it('shows a kind with its slowest queries and their stacks', async () => {
    const page = await opened('shop');
    await page.locator('#kinds td button', {hasText: 'SUM ( `price` )'}).click();
    assert.match(await page.locator('#kind-text').innerText(), /SUM \( `price` \)/);
    assert.ok(await page.locator('#kind-histogram .bars span').count() > 0);
    assert.ok(await page.locator('#kind-causes li').count() > 1);
    assert.ok(await page.locator('#kind-slow tbody tr').count() >= 5);
    assert.ok(await page.locator('#graph').isVisible());
    await page.locator('#graph').focus();
    for (let i = 0; i < 4; ++i) await page.keyboard.press('ArrowDown');
    assert.match(await page.locator('#status').innerText(), /^JOIN::exec/);
    await closed(page);
  });

  it('filters everything by a period that is dragged over a plot', async () => {
    const page = await opened('shop');
    const plot = page.locator('#latency .u-over');
    await plot.scrollIntoViewIfNeeded();
    const {x, y, width, height} = await plot.boundingBox();
    await page.mouse.move(x + width * 0.25, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width * 0.5, y + height / 2, {steps: 5});
    await page.mouse.up();
    assert.match(await page.locator('#period-text').innerText(), /^Only: /);
    const part = counted(await figure(page, 'Queries'));
    assert.ok(part > 60_000 * 0.22 && part < 60_000 * 0.3, `${part}`);
    const kinds = (await column(page, 'kinds', 3)).map(counted);
    assert.equal(kinds.reduce((sum, count) => sum + count, 0), part);
    await plot.dblclick();
    assert.equal(await figure(page, 'Queries'), '60,000');
    await closed(page);
  });

  it('is driven by keys alone', async () => {
    const page = await opened('shop');
    await page.locator('#to').focus();
    await page.keyboard.press('Home');
    assert.equal(counted(await figure(page, 'Queries')), 500);
    await page.keyboard.press('ArrowRight');
    assert.equal(counted(await figure(page, 'Queries')), 1000);
    await page.keyboard.press('Escape');
    assert.equal(await figure(page, 'Queries'), '60,000');
    await page.locator('#kinds td button').first().focus();
    await page.keyboard.press('Enter');
    assert.ok(await page.locator('#kind').isVisible());
    await page.locator('#theme').focus();
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
    await closed(page);
  });

  it('searches kinds', async () => {
    const page = await opened('shop');
    await page.locator('#search').fill('STOCK');
    assert.equal(await page.locator('#kinds tbody tr').count(), 1);
    await closed(page);
  });

  it('shows who kept whom waiting', async () => {
    const page = await opened('shop');
    assert.ok(await page.locator('#blocks-graph path').count() > 1);
    assert.match(await page.locator('#blocks').innerText(), /idle in transaction after/);
    await closed(page);
  });

  for (const [width, colorScheme] of [[1280, 'light'], [1280, 'dark'], [400, 'light']])
    for (const name of ['shop', 'hostile', 'empty'])
      it(`fits ${width} pixels in ${colorScheme} colours: ${name}`, async () => {
        const page = await opened(name, {viewport: {width, height: 900}, colorScheme});
        const first = page.locator('#kinds td button').first();
        if (await first.count()) await first.click();
        const room = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
        assert.ok(room[0] <= room[1], `${room}`);
        await page.evaluate(() => scrollTo(0, 0));
        const picture = await page.screenshot({fullPage: true, path: join(pictures, `${name}-${width}-${colorScheme}.png`)});
        assert.ok(picture.length > 10_000);
        // Plots are drawn in more colours than their ground.
        const colors = await page.evaluate(() => [...document.querySelectorAll('#rate canvas, #latency canvas')].map(canvas => {
          const pixels = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer);
          return new Set(pixels).size;
        }));
        assert.ok(colors.length === 2 && colors.every(count => count > 10), `${colors}`);
        await closed(page);
      });

  it('shows hostile texts as text', async () => {
    const page = await opened('hostile');
    assert.match(await page.title(), /dbtrace report$/);
    assert.equal(await page.locator('img, iframe, object, main script').count(), 0);
    assert.match(await page.locator('#slow').innerText(), /<img src=x onerror/);
    for (const table of ['kinds', 'slow'])
      for (const button of await page.locator(`#${table} td button`).all()) await button.click();
    assert.ok(await page.locator('#blocks-graph text').count() > 5);
    assert.match(await page.title(), /dbtrace report$/);
    await closed(page);
  });

  it('is to be printed in light colours', async () => {
    const page = await opened('shop', {colorScheme: 'dark'});
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'light');
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), undefined);
    assert.ok((await page.pdf()).length > 10_000);
    await closed(page);
  });

  it('opens a million queries', async context => {
    const page = await opened('million');
    assert.equal(await figure(page, 'Queries'), '1,000,000');
    const ms = await page.evaluate(() => performance.getEntriesByType('navigation')[0].loadEventEnd);
    context.diagnostic(`ready after ${Math.round(ms)} ms`);
    assert.ok(ms < PATIENCE);
    await closed(page);
  });
});
