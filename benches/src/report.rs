//! The table.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::Result;
use crate::client::Side;
use crate::machine::Machine;
use crate::rounds::{Measured, Spent, Spread};
use crate::rows::Kind;

/// What a run found.
pub(crate) struct Report {
    machine: Machine,
    rows: Vec<Row>,
    /// The names of rows, by the reason.
    left_out: BTreeMap<&'static str, Vec<&'static str>>,
}

impl Report {
    pub(crate) fn begin() -> Result<Self> {
        Ok(Self {
            machine: Machine::here()?,
            rows: Vec::new(),
            left_out: BTreeMap::new(),
        })
    }

    pub(crate) fn add(&mut self, rows: Vec<Row>) {
        self.rows.extend(rows);
    }

    pub(crate) fn leave_out(&mut self, kind: Kind, reason: &'static str) {
        self.left_out.entry(reason).or_default().push(kind.name());
    }

    /// As Markdown.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("# Results\n\n{}\n", self.machine);
        text.push_str(
            "| work | ours | bare | peer | ours / bare | ours / peer | target | met |\n\
             |---|--:|--:|--:|--:|--:|---|---|\n",
        );
        for row in &self.rows {
            text.push_str(&row.line());
        }
        text.push_str(
            "\nA ratio is the median over the rounds, with its quartiles in brackets. `-`: nothing \
             to measure, or no target.\n",
        );
        for (reason, names) in &self.left_out {
            let names = names.join("`, `");
            let _ = write!(
                text,
                "\nLeft out, {reason}: `{names}`. `--row NAME` runs one.\n"
            );
        }
        text
    }
}

/// A figure as text.
type Format = fn(f64) -> String;

/// A line of the table.
pub(crate) struct Row {
    work: String,
    figures: [Option<f64>; 3],
    /// Ours by each client's.
    ratios: [Option<Spread>; 3],
    format: Format,
    /// What must hold, and whether it does.
    targets: Vec<(String, bool)>,
}

impl Row {
    /// A figure of each round.
    pub(crate) fn measured(
        work: &str,
        measured: &Measured,
        figure: impl Fn(Spent) -> f64,
        format: Format,
    ) -> Self {
        Self {
            work: work.to_owned(),
            figures: Side::ALL.map(|side| measured.median(side, &figure)),
            ratios: Side::ALL.map(|side| measured.ratio(side, &figure)),
            format,
            targets: Vec::new(),
        }
    }

    /// One figure a client.
    pub(crate) fn once(work: &str, figures: [Option<f64>; 3], format: Format) -> Self {
        let ours = figures[Side::Ours as usize];
        let ratio = |theirs: Option<f64>| Some(Spread::exactly(ours? / theirs?));
        Self {
            work: work.to_owned(),
            figures,
            ratios: figures.map(ratio),
            format,
            targets: Vec::new(),
        }
    }

    pub(crate) fn at_most(self, times: f64, side: Side) -> Self {
        let text = format!("at most {times:.2} x {}", side.name());
        self.target(text, side, |ratio| ratio <= times)
    }

    pub(crate) fn at_least(self, times: f64, side: Side) -> Self {
        let text = format!("at least {times:.2} x {}", side.name());
        self.target(text, side, |ratio| ratio >= times)
    }

    pub(crate) fn below(self, side: Side) -> Self {
        self.target(format!("below {}", side.name()), side, |ratio| ratio < 1.0)
    }

    pub(crate) fn above(self, side: Side) -> Self {
        self.target(format!("above {}", side.name()), side, |ratio| ratio > 1.0)
    }

    /// Our figure itself is less than `limit`.
    pub(crate) fn under(mut self, limit: f64) -> Self {
        let met = self.figures[Side::Ours as usize].is_some_and(|ours| ours < limit);
        self.targets
            .push((format!("under {}", (self.format)(limit)), met));
        self
    }

    fn target(mut self, text: String, side: Side, holds: impl Fn(f64) -> bool) -> Self {
        let met = self.ratios[side as usize].is_some_and(|ratio| holds(ratio.median));
        self.targets.push((text, met));
        self
    }

    fn line(&self) -> String {
        let none = || "-".to_owned();
        let figure = |side: Side| self.figures[side as usize].map_or_else(none, self.format);
        let ratio = |side: Side| self.ratios[side as usize].map_or_else(none, written);
        let targets: Vec<&str> = self.targets.iter().map(|(text, _)| text.as_str()).collect();
        let missed: Vec<&str> = self
            .targets
            .iter()
            .filter_map(|(text, met)| (!met).then_some(text.as_str()))
            .collect();
        let (target, met) = match (targets.as_slice(), missed.as_slice()) {
            ([], _) => (none(), none()),
            (all, []) => (all.join(", "), "yes".to_owned()),
            (all, missed) => (all.join(", "), format!("**no**: {}", missed.join(", "))),
        };
        format!(
            "| {} | {} | {} | {} | {} | {} | {target} | {met} |\n",
            self.work,
            figure(Side::Ours),
            figure(Side::Bare),
            figure(Side::Peer),
            ratio(Side::Bare),
            ratio(Side::Peer),
        )
    }
}

fn written(ratio: Spread) -> String {
    match ratio.low == ratio.high {
        true => format!("{:.3}", ratio.median),
        false => format!("{:.3} ({:.3}-{:.3})", ratio.median, ratio.low, ratio.high),
    }
}

pub(crate) fn micros(seconds: f64) -> String {
    format!("{:.1} µs", seconds * 1e6)
}

pub(crate) fn millis(seconds: f64) -> String {
    format!("{:.2} ms", seconds * 1e3)
}

pub(crate) fn seconds(seconds: f64) -> String {
    format!("{seconds:.1} s")
}

pub(crate) fn a_second(count: f64) -> String {
    format!("{count:.0} /s")
}

pub(crate) fn mebibytes(bytes: f64) -> String {
    format!("{:.1} MiB", bytes / 1_048_576.0)
}

pub(crate) fn mebibytes_a_second(bytes: f64) -> String {
    format!("{:.0} MiB/s", bytes / 1_048_576.0)
}

pub(crate) fn instructions(count: f64) -> String {
    match count < 1e6 {
        true => format!("{:.1} k", count / 1e3),
        false => format!("{:.1} M", count / 1e6),
    }
}

pub(crate) fn count(count: f64) -> String {
    format!("{count:.0}")
}
