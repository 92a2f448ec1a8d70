// Puts the page together: the data once, then one section after the other. A section that has nothing to
// show takes itself out.

const page = { reports: [], rows: [], labels: [], looks: new Map(), families: new Map(), hidden: new Set(), figures: [] };

function readPage() {
  const document_ = JSON.parse(section("data").textContent);
  page.reports = document_.reports;
  page.rows = readRows(page.reports);
  page.labels = distinct(page.rows.filter((row) => !row.reason).map((row) => row.label));
  page.looks = assignLooks(page.labels);
  page.families = familyNames(page.rows);
  section("written-by").textContent =
    `Written by fa3prof ${document_.written_by.version} (${document_.written_by.commit}).`;
}

function linkSections() {
  for (const heading of document.querySelectorAll("main > section > h2")) {
    section("sections").append(element("li", {}, element("a", { href: `#${heading.parentElement.id}` },
      heading.textContent)));
  }
}

function showSections() {
  showThroughput();
  showBreakdown();
  showTimeline();
  showRoofline();
  showModelError();
  showSensitivity();
  showSamples();
  showGenerations();
  showRows();
  showEnvironment();
  linkSections();
  printWhole();
  section("print").addEventListener("click", () => window.print());
  document.documentElement.dataset.ready = "true";
}

readPage();
followTheme();
showSummary();
// The rest once the summary is on the screen, and the chart library, which stands behind this script, is there.
document.addEventListener("DOMContentLoaded", () => requestAnimationFrame(() => setTimeout(showSections)));
