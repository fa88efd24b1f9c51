//! A violation as a picture: one lane a client, time from left to right.

use std::fmt::Write;

use crate::operation::{Operation, Outcome};
use crate::violation::Violation;
use crate::words;

const WIDTH: u64 = 960;
const LEFT: u64 = 96;
const RIGHT: u64 = 24;
const TOP: u64 = 24;
const LANE: u64 = 38;
const BAR: u64 = 12;
const AXIS: u64 = 30;
/// How wide a letter is, at most.
const LETTER: u64 = 7;

/// Draws a violation as SVG: a lane for each client, a bar for each operation from its start to its
/// end, and what it was told over it. The picture stands by itself, has a title and a description
/// for those who cannot see it, and can be read on light and on dark ground.
#[must_use]
pub fn timeline(violation: &Violation) -> String {
    let operations = &violation.operations;
    let scale = Scale::new(operations);
    let lanes = lanes(operations);
    let height = TOP + lanes.len() as u64 * LANE + AXIS;
    let mut svg = String::new();
    let sentences: Vec<String> = violation
        .sentences()
        .iter()
        .map(|each| escape(each))
        .collect();
    // Writing to a string does not fail.
    let _ = write!(
        svg,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img" aria-labelledby="history-title history-desc">
<title id="history-title">Answers that no order explains</title>
<desc id="history-desc">{}.</desc>
<style>
.text {{ font: 12px ui-monospace, monospace; fill: #24292f; }}
.quiet {{ fill: #57606a; }}
.line {{ stroke: #d0d7de; stroke-width: 1; }}
.ok {{ fill: #0969da; }}
.refused {{ fill: #9a6700; }}
.unknown {{ fill: none; stroke: #57606a; stroke-dasharray: 4 3; }}
@media (prefers-color-scheme: dark) {{
.text {{ fill: #e6edf3; }}
.quiet {{ fill: #9198a1; }}
.line {{ stroke: #3d444d; }}
.ok {{ fill: #4493f8; }}
.refused {{ fill: #d29922; }}
.unknown {{ stroke: #9198a1; }}
}}
</style>
"#,
        sentences.join("; ")
    );
    for (row, (client, of_lane)) in lanes.iter().enumerate() {
        let top = TOP + row as u64 * LANE;
        let (middle, to) = (top + LANE / 2, WIDTH - RIGHT);
        let name = if of_lane.iter().any(|at| {
            lanes[..row]
                .iter()
                .any(|(c, _)| c == &operations[*at].client)
        }) {
            String::new()
        } else {
            format!("client {client}")
        };
        let _ = writeln!(
            svg,
            r#"<text class="text" x="8" y="{}">{name}</text><line class="line" x1="{LEFT}" y1="{middle}" x2="{to}" y2="{middle}"/>"#,
            middle + 4
        );
        for at in of_lane {
            bar(&mut svg, &scale, &operations[*at], &sentences[*at], middle);
        }
    }
    let y = height - 10;
    let _ = writeln!(
        svg,
        r#"<text class="text quiet" x="{LEFT}" y="{y}">{}</text><text class="text quiet" x="{}" y="{y}" text-anchor="end">{}</text>
</svg>"#,
        words::time(scale.from),
        WIDTH - RIGHT,
        words::time(scale.to)
    );
    svg
}

fn bar(svg: &mut String, scale: &Scale, operation: &Operation, sentence: &str, middle: u64) {
    let class = match operation.outcome {
        Outcome::Ok(_) => "ok",
        Outcome::Refused(_) => "refused",
        Outcome::Unknown => "unknown",
    };
    let from = scale.x(operation.start);
    let to = match operation.outcome {
        Outcome::Unknown => WIDTH - RIGHT,
        _ => scale.x(operation.end),
    };
    let width = (to - from).max(3);
    let label = words::label(operation);
    // Over the bar; where there is no room to the right of its start, to the left of its end.
    let length = label.chars().count() as u64 * LETTER;
    let (x, anchor) = if from + length <= WIDTH {
        (from, "start")
    } else {
        (to, "end")
    };
    let y = middle - BAR / 2;
    let text = y - 4;
    let _ = writeln!(
        svg,
        r#"<g><title>{sentence}</title><rect class="{class}" x="{from}" y="{y}" width="{width}" height="{BAR}" rx="2"/><text class="text" x="{x}" y="{text}" text-anchor="{anchor}">{}</text></g>"#,
        escape(&label)
    );
}

/// Which operations stand in which lane. Those of one client that overlap, or that are so near that
/// their words would, stand in several.
fn lanes(operations: &[Operation]) -> Vec<(u32, Vec<usize>)> {
    let scale = Scale::new(operations);
    let mut clients: Vec<u32> = operations.iter().map(|each| each.client).collect();
    clients.sort_unstable();
    clients.dedup();
    let mut lanes = Vec::new();
    for client in clients {
        let mut own: Vec<(Vec<usize>, u64)> = Vec::new();
        for (at, operation) in operations.iter().enumerate() {
            if operation.client != client {
                continue;
            }
            let from = scale.x(operation.start);
            let label = words::label(operation).chars().count() as u64 * LETTER;
            let to = scale.x(operation.end).max(from + label) + 12;
            match own.iter_mut().find(|(_, until)| *until <= from) {
                Some((lane, until)) => {
                    lane.push(at);
                    *until = to;
                }
                None => own.push((vec![at], to)),
            }
        }
        lanes.extend(own.into_iter().map(|(lane, _)| (client, lane)));
    }
    lanes
}

struct Scale {
    from: u64,
    to: u64,
}

impl Scale {
    fn new(operations: &[Operation]) -> Self {
        let from = operations.iter().map(|each| each.start).min().unwrap_or(0);
        let ends = operations.iter().map(|each| each.end.max(each.start));
        let to = ends.max().unwrap_or(0).max(from + 1);
        Self { from, to }
    }

    fn x(&self, time: u64) -> u64 {
        let width = u128::from(WIDTH - LEFT - RIGHT);
        let span = u128::from(self.to - self.from);
        let since = u128::from(time.clamp(self.from, self.to) - self.from);
        LEFT + (since * width / span) as u64
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
