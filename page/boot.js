/* ---- the first script of a page: unpacks all others, which the page's policy knows by their hash, too ---- */
(async () => {
  const packed = Uint8Array.from(atob(document.getElementById('packed').textContent), c => c.charCodeAt(0));
  const script = document.createElement('script');
  script.textContent = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
  document.body.append(script);
})().catch(() => { document.getElementById('note').textContent = 'This browser is too old to unpack the page.'; });
